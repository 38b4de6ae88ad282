-- What is loaded at a start is found without reading what is settled.
CREATE INDEX sessions_seen ON sessions (seen_at);
CREATE INDEX asks_state ON asks (state);
CREATE INDEX messages_at ON messages (at);
