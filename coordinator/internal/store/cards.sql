-- Whose card is this message?
CREATE INDEX cards_message ON cards (chat, message);
