"""What completes a prompt: providers, the embedded model, the rehearsal author."""
