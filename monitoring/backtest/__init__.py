"""What would alarms have done over a recording, what really happened, and what would other settings have done?"""
