"""What several tests share: models, posteriors, clusters, and how draws are judged."""
