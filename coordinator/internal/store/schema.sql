-- Version 1. Times are unix milliseconds. `data` holds a value as JSON; the
-- columns beside it exist for looking things up.

CREATE TABLE sessions (id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL, data TEXT NOT NULL);

CREATE TABLE asks (id TEXT PRIMARY KEY, state TEXT NOT NULL, opened_at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX asks_opened ON asks (opened_at);

CREATE TABLE loops (session TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, data TEXT NOT NULL);

-- One row: the switches that hold for all sessions, and the pairing.
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

-- Updates of a channel, committed before they are acknowledged there.
CREATE TABLE updates (id INTEGER PRIMARY KEY, body TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);
CREATE INDEX updates_open ON updates (id) WHERE done = 0;

-- Where an ask is shown: one message for its whole life.
CREATE TABLE cards (
  ask     TEXT NOT NULL,
  chat    INTEGER NOT NULL,
  message INTEGER NOT NULL,
  shown   TEXT NOT NULL, -- digest of what the message says now
  PRIMARY KEY (ask, chat, message)
);
