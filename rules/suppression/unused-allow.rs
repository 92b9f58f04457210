// Found by `suppress`: it takes the findings of all other rules.
