"""Plain, slow definitions that the library is checked against."""
