-- Browsers that are signed in to the page. ended is 1 once one has no effect any more.
CREATE TABLE browsers (id TEXT PRIMARY KEY, ended INTEGER NOT NULL, data TEXT NOT NULL);
