"""Who is told, and how: topics, their key, subscribers and chat configurations."""
