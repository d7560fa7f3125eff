"""Decision trees: their structure, how they are pruned, read and certified."""
