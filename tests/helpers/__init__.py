"""Code that several test files share. A test belongs in the folder of the room it tests."""
