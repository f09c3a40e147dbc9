"""What gives a secret away in a draft, found in code: keywords, wording, meaning, quotation."""
