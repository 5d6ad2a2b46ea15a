"""`python -m novikoff` is `novikoff`."""

from __future__ import annotations

from novikoff.cli.main import main

if __name__ == "__main__":
    main()
