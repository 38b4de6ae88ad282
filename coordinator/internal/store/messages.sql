-- Texts for sessions: pending, delivered, done.
CREATE TABLE messages (id TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX messages_open ON messages (state, at);
