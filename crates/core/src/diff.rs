//! Hunks of a change to a file, with marks inside lines, for the edit tools of every agent.
