-- When the channel says that it sent the card, unix seconds; 0 is not known.
ALTER TABLE cards ADD COLUMN at INTEGER NOT NULL DEFAULT 0;
