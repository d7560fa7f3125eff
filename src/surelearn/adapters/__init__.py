"""Other libraries’ ways of calling our learners."""
