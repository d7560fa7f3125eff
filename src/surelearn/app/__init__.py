"""Use cases that the command line and the service share."""
