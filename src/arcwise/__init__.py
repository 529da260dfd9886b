"""Bayesian structure discovery: how probable is each edge between my variables?

data -> local score + prior = model -> space x algorithm -> posterior -> features
"""
