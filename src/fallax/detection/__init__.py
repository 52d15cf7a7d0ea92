"""Fallacies and propaganda techniques as spans in text (MAFALDA, NLP4IF-2019)."""
