-- Triggers: what Afar keeps of one beside its file in the workspace. open is 0 once one is removed.
CREATE TABLE triggers (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
-- The ledger: one row for each instant of a trigger. open is 0 once nothing more happens to it.
CREATE TABLE firings (id TEXT PRIMARY KEY, name TEXT NOT NULL, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX firings_open ON firings (open, at);
CREATE INDEX firings_name ON firings (name, at);
