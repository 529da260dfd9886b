"""Missing values: chains over DAGs, parameters and cells, and the completed tables they visit."""
