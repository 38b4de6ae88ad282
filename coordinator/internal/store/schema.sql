-- Version 19, the first one that was released. Times are unix milliseconds. `data` holds a value as JSON; the
-- columns beside it exist for looking things up.

CREATE TABLE sessions (id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL, data TEXT NOT NULL);

CREATE TABLE asks (id TEXT PRIMARY KEY, state TEXT NOT NULL, opened_at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX asks_opened ON asks (opened_at);

CREATE TABLE loops (session TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, data TEXT NOT NULL);

-- One row: the switches that hold for all sessions.
CREATE TABLE settings (one INTEGER PRIMARY KEY CHECK (one = 1), data TEXT NOT NULL);

-- All that happened, in order. hash covers the row and the hash before it.
CREATE TABLE journal (
  seq     INTEGER PRIMARY KEY,
  at      INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  session TEXT NOT NULL,
  subject TEXT NOT NULL,
  text    TEXT NOT NULL,
  hash    TEXT NOT NULL
);
CREATE INDEX journal_session ON journal (session, seq);
CREATE INDEX journal_kind ON journal (kind, seq);

-- What must still be done outside, written with the state that demands it.
-- Writing a key again raises gen: the work is done once more, with what is
-- true by then.
CREATE TABLE actions (
  key   TEXT PRIMARY KEY,
  lane  TEXT NOT NULL,               -- one worker a lane keeps its order
  kind  TEXT NOT NULL,
  data  TEXT NOT NULL,
  gen   INTEGER NOT NULL,
  done  INTEGER NOT NULL DEFAULT 0,  -- the gen that is done
  tries INTEGER NOT NULL DEFAULT 0,
  due   INTEGER NOT NULL,
  error TEXT NOT NULL DEFAULT ''
);
CREATE INDEX actions_open ON actions (lane, due) WHERE done < gen;

-- Standing permissions. ended is 1 once one has no effect any more.
CREATE TABLE grants (id TEXT PRIMARY KEY, ended INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);

-- Texts for sessions: pending, delivered, done.
CREATE TABLE messages (id TEXT PRIMARY KEY, state TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX messages_open ON messages (state, at);
-- The texts of one session or task are found without reading all.
CREATE INDEX messages_session ON messages (CASE WHEN json_valid(data) THEN json_extract(data, '$.session') END);
CREATE INDEX messages_task ON messages (CASE WHEN json_valid(data) THEN json_extract(data, '$.task') END);

-- The newest journal entry that was written: that the last ones were taken away
-- shows also after a restart.
CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL);

-- Snapshots taken before destructive steps. open is 0 once one is gone.
CREATE TABLE undos (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX undos_open ON undos (open, at);

-- What sessions and their person write for each other, in the order in which it came.
CREATE TABLE posts (seq INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX posts_topic ON posts (topic, seq);

-- Loops that have ended. The table loops holds the newest one of each session.
CREATE TABLE past_loops (key TEXT PRIMARY KEY, ended_at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX past_loops_ended ON past_loops (ended_at);

-- How each channel stands: what it speaks through, and who is paired.
CREATE TABLE channels (name TEXT PRIMARY KEY, data TEXT NOT NULL);
-- The messages that show a card.
CREATE TABLE copies (
  ask     TEXT NOT NULL,
  channel TEXT NOT NULL,
  message TEXT NOT NULL,              -- in the channel's own form
  shown   TEXT NOT NULL,              -- digest of what the message says now
  at      INTEGER NOT NULL DEFAULT 0, -- when the channel says that it was sent, unix seconds; 0 is not known
  PRIMARY KEY (ask, channel, message)
);
CREATE INDEX copies_message ON copies (channel, message);
-- The place of one session inside an address of a channel.
CREATE TABLE rooms (id TEXT PRIMARY KEY, session TEXT NOT NULL, data TEXT NOT NULL);
-- Updates of a channel, committed before they are acknowledged there.
CREATE TABLE inbox (channel TEXT NOT NULL, id INTEGER NOT NULL, body TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (channel, id));
CREATE INDEX inbox_open ON inbox (channel, id) WHERE done = 0;

-- Browsers that are signed in to the page. ended is 1 once one has no effect any more.
CREATE TABLE browsers (id TEXT PRIMARY KEY, ended INTEGER NOT NULL, data TEXT NOT NULL);

-- Runs: conversations that Afar drives. open is 0 once one is removed.
CREATE TABLE runs (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX runs_open ON runs (open, at);
-- What their agents did. n counts the events of a run.
CREATE TABLE run_events (run TEXT NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (run, n)) WITHOUT ROWID;

-- Tasks: what Afar keeps of one beside its folder in the workspace.
CREATE TABLE tasks (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);

-- What was in memory once: digests of facts. A fact that is gone from its folder was deleted by the
-- person and is not added again by anybody else.
CREATE TABLE facts (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);

-- Triggers: what Afar keeps of one beside its file in the workspace. open is 0 once one is removed.
CREATE TABLE triggers (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
-- The ledger: one row for each instant of a trigger. open is 0 once nothing more happens to it.
CREATE TABLE firings (id TEXT PRIMARY KEY, name TEXT NOT NULL, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX firings_open ON firings (open, at);
CREATE INDEX firings_name ON firings (name, at);

-- Modules: which content of a folder below modules a person has enabled.
CREATE TABLE modules (id TEXT PRIMARY KEY, data TEXT NOT NULL);
-- The events of modules that have come, so that none counts twice.
CREATE TABLE seen (id TEXT PRIMARY KEY, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX seen_at ON seen (at);
