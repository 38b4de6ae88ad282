-- What sessions and their person write for each other, in the order in which it came.
CREATE TABLE posts (seq INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, text TEXT NOT NULL);
CREATE INDEX posts_topic ON posts (topic, seq);
