-- The search index, in a database of its own. It is made again from what it indexes.
CREATE TABLE docs (
  id    INTEGER PRIMARY KEY,
  key   TEXT NOT NULL UNIQUE,
  stamp TEXT NOT NULL,    -- changes when the document does
  at    INTEGER NOT NULL, -- unix milliseconds
  title TEXT NOT NULL,
  lines INTEGER NOT NULL,
  words INTEGER NOT NULL,
  text  TEXT NOT NULL
);
-- The terms of each document, as memory.Terms makes them; the rowid is the id in docs. A line of
-- the text is a line of body.
CREATE VIRTUAL TABLE terms USING fts5 (title, body, tokenize = "unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE vocab USING fts5vocab (terms, row);
