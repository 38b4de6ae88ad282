-- Where a session speaks in a forum: one thread per session and chat.
CREATE TABLE threads (
  session TEXT NOT NULL,
  chat    INTEGER NOT NULL,
  thread  INTEGER NOT NULL,
  closed  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session, chat)
);
