"""What every other package stands on: checks, names, words, files, progress, slots."""
