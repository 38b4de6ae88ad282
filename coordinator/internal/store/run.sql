-- Runs: conversations that Afar drives. open is 0 once one is removed.
CREATE TABLE runs (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX runs_open ON runs (open, at);
-- What their agents did. n counts the events of a run.
CREATE TABLE run_events (run TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (run, n)) WITHOUT ROWID;
