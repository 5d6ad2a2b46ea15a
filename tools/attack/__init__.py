"""The attack: hostile files, certificates, signals and threads against the library as it is.

`make attack` runs every kind for a share of ten minutes and prints one table. One module holds one
kind; `arena` runs the attempts in child processes with limits; `__main__` is the command.
"""
