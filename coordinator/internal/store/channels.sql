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

-- Until now there was one channel, whose chats and messages have numbers.
INSERT INTO channels SELECT 'telegram', json_object(
  'channel', 'telegram',
  'speaker', coalesce(json_extract(s, '$.bot'), ''),
  'person', CASE WHEN json_type(s, '$.peer') = 'object' THEN json_object(
    'id', CAST(json_extract(s, '$.peer.user') AS TEXT), 'address', CAST(json_extract(s, '$.peer.chat') AS TEXT),
    'name', json_extract(s, '$.peer.name'), 'at', json_extract(s, '$.peer.at')) END,
  'pairing', json_extract(s, '$.pairing'),
  'told', json_extract(s, '$.told'))
  FROM (SELECT CAST(data AS TEXT) AS s FROM settings) WHERE json_valid(s);
UPDATE settings SET data = CAST(json_remove(CAST(data AS TEXT), '$.peer', '$.pairing', '$.told', '$.bot') AS BLOB)
  WHERE json_valid(CAST(data AS TEXT));
INSERT INTO copies SELECT ask, 'telegram', chat || '/' || message, shown, at FROM cards ORDER BY message;
INSERT INTO rooms SELECT 'telegram ' || chat || ' ' || session, session, json_object(
  'channel', 'telegram', 'session', session, 'inside', CAST(chat AS TEXT), 'address', chat || '/' || thread,
  'closed', json(CASE closed WHEN 0 THEN 'false' ELSE 'true' END)) FROM threads;
INSERT INTO inbox SELECT 'telegram', id, body, done FROM updates;
UPDATE actions SET key = 'telegram/' || key WHERE lane = 'telegram';
UPDATE actions SET kind = 'room' WHERE lane = 'telegram' AND kind = 'thread';
UPDATE actions SET data = json_remove(json_set(data, '$.channel', 'telegram', '$.to', json_extract(data, '$.chat')
    || CASE WHEN json_extract(data, '$.thread') > 0 THEN '/' || json_extract(data, '$.thread') ELSE '' END), '$.chat', '$.thread')
  WHERE lane = 'telegram' AND kind IN ('say', 'choose') AND json_valid(data);
UPDATE actions SET data = json_object('tap', json_extract(data, '$.query'), 'text', json_extract(data, '$.text'))
  WHERE lane = 'telegram' AND kind = 'tap' AND json_valid(data);
UPDATE actions SET data = json_object('message', json_extract(data, '$.chat') || '/' || json_extract(data, '$.message'), 'text', json_extract(data, '$.text'))
  WHERE lane = 'telegram' AND kind = 'edit' AND json_valid(data);
UPDATE actions SET data = json_object('to', json_extract(data, '$.chat')
    || CASE WHEN json_extract(data, '$.thread') > 0 THEN '/' || json_extract(data, '$.thread') ELSE '' END,
    'message', CASE WHEN json_extract(data, '$.message') > 0 THEN json_extract(data, '$.chat') || '/' || json_extract(data, '$.message') ELSE '' END)
  WHERE lane = 'telegram' AND kind = 'grants' AND json_valid(data);
DROP TABLE cards;
DROP TABLE threads;
DROP TABLE updates;
