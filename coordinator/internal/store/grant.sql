-- Standing permissions. ended is 1 once one has no effect any more.
CREATE TABLE grants (id TEXT PRIMARY KEY, ended INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
