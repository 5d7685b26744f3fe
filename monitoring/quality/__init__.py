"""Do the alarms tell causes apart? Figures over simulated incidents and healthy weeks."""
