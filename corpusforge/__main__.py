"""`python -m corpusforge` is the `corpusforge` command."""

from corpusforge.cli import main

if __name__ == "__main__":
    main()
