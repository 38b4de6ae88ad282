-- The other machines of a fleet, what waits to be done there, and what they show.
CREATE TABLE machines (id TEXT PRIMARY KEY, data TEXT NOT NULL);
-- open is 0 once the machine has said what an order came to.
CREATE TABLE orders (id TEXT PRIMARY KEY, open INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX orders_open ON orders (open, at);
CREATE TABLE mirrors (id TEXT PRIMARY KEY, gone INTEGER NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX mirrors_at ON mirrors (gone, at);
