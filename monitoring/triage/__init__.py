"""For the person who was woken up: what is it, how do we know, what is it not, who is affected, what first."""
