"""One file per quantity drawn: a result in, Axes out; nothing is computed here."""
