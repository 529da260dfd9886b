"""Convergence diagnostics: R-hat, effective sample sizes and standard errors of draws."""
