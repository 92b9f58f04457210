// Found by `suppress`, which reads the comments.
