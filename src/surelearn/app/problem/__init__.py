"""What a table asks: its columns, its target, its leaks and its split."""
