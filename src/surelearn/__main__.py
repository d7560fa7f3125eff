"""`python -m surelearn` is the command `surelearn`."""

from surelearn.cli import app

if __name__ == "__main__":
    app()
