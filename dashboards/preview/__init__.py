"""A dashboard on paper: body values and series become one HTML file that works offline. See docs/preview.md."""
