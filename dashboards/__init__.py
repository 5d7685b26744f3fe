"""What people look at: pages and their layout."""
