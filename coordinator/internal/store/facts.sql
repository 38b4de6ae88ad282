-- What was in memory once: digests of facts. A fact that is gone from its folder was deleted by the
-- person and is not added again by anybody else.
CREATE TABLE facts (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);
