-- The texts of one session or task are found without reading all.
CREATE INDEX messages_session ON messages (CASE WHEN json_valid(data) THEN json_extract(data, '$.session') END);
CREATE INDEX messages_task ON messages (CASE WHEN json_valid(data) THEN json_extract(data, '$.task') END);
