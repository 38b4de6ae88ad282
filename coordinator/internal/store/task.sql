-- Tasks: what Afar keeps of one beside its folder in the workspace.
CREATE TABLE tasks (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);
