-- The newest journal entry that was written: that the last ones were taken away
-- shows also after a restart.
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL);
INSERT INTO head SELECT 1, seq, hash FROM journal ORDER BY seq DESC LIMIT 1;
