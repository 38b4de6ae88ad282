-- The newest entries of a kind are found without reading the whole journal.
CREATE INDEX journal_kind ON journal (kind, seq);
