-- Who is paired, in a database from before the table of channels.
SELECT json_object('person', json_object(
  'id', CAST(json_extract(s, '$.peer.user') AS TEXT), 'address', CAST(json_extract(s, '$.peer.chat') AS TEXT),
  'name', json_extract(s, '$.peer.name'), 'at', json_extract(s, '$.peer.at')))
FROM (SELECT CAST(data AS TEXT) AS s FROM settings)
WHERE ?1 = 'telegram' AND json_valid(s) AND json_type(s, '$.peer') = 'object'
