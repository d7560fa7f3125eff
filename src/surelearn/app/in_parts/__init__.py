"""Tables in parts: certified a block of rows at a time, by one process or by many."""
