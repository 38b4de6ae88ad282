-- Snapshots taken before destructive steps. open is 0 once one is gone.
CREATE TABLE undos (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX undos_open ON undos (open, at);
