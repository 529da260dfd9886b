"""Convergence figures: R-hat, effective sample sizes and standard errors of draws."""
