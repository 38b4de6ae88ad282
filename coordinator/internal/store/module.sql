-- Modules: which content of a folder below modules a person has enabled.
CREATE TABLE modules (id TEXT PRIMARY KEY, data TEXT NOT NULL);
-- The events of modules that have come, so that none counts twice.
CREATE TABLE seen (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX seen_at ON seen (at);
