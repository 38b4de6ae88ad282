-- Loops that have ended. The table loops holds the newest one of each session.
CREATE TABLE past_loops (key TEXT PRIMARY KEY, ended_at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX past_loops_ended ON past_loops (ended_at);
