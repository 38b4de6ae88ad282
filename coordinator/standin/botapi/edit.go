package botapi

import (
	"encoding/json"
	"reflect"
	"time"
)

func (s *Server) editMessageText(r request) (any, error) {
	text, err := r.content("text", "entities")
	if err != nil {
		return nil, err
	}
	if err := text.checkText(); err != nil {
		return nil, err
	}
	m, keyboard, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	if m.Document != nil {
		return nil, badRequest("there is no text in the message to edit")
	}
	return s.edit(m, "editMessageText", text, keyboard)
}

func (s *Server) editMessageCaption(r request) (any, error) {
	caption, err := r.content("caption", "caption_entities")
	if err != nil {
		return nil, err
	}
	if err := caption.checkCaption(); err != nil {
		return nil, err
	}
	m, keyboard, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	if m.Document == nil {
		return nil, badRequest("there is no caption in the message to edit")
	}
	return s.edit(m, "editMessageCaption", caption, keyboard)
}

func (s *Server) editMessageReplyMarkup(r request) (any, error) {
	m, keyboard, err := s.editable(r)
	if err != nil {
		return nil, err
	}
	same := content{text: m.Text, raw: m.Raw, mode: m.Mode, entities: m.Entities}
	return s.edit(m, "editMessageReplyMarkup", same, keyboard)
}

// editable returns the bot's message that a call names, and the keyboard that the call sets,
// if any.
func (s *Server) editable(r request) (*Message, [][]Button, error) {
	keyboard, err := keyboardOf(r.params["reply_markup"])
	if err != nil {
		return nil, nil, err
	}
	m, err := s.named(r.params, "message to edit not found")
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.writable(r.params); err != nil {
		return nil, nil, err
	}
	if m.From != botID {
		return nil, nil, badRequest("message can't be edited")
	}
	return m, keyboard, nil
}

// named returns the message that a call names, or a refusal with this text.
func (s *Server) named(p params, missing string) (*Message, error) {
	if p["inline_message_id"] != "" {
		return nil, badRequest("MESSAGE_ID_INVALID")
	}
	c, err := s.chat(p)
	if err != nil {
		return nil, err
	}
	id, err := p.integer("message_id")
	if err != nil {
		return nil, err
	}
	if id == 0 {
		return nil, badRequest("message identifier is not specified")
	}
	m := s.message(int(id))
	if m == nil || m.Chat != c.ID {
		return nil, badRequest("%s", missing)
	}
	return m, nil
}

func (s *Server) edit(m *Message, method string, c content, keyboard [][]Button) (any, error) {
	if c.text == m.Text && reflect.DeepEqual(c.entities, m.Entities) && reflect.DeepEqual(keyboard, m.Keyboard) {
		return nil, badRequest("message is not modified: specified new message content and reply markup " +
			"are exactly the same as a current content and reply markup of the message")
	}
	now := time.Now()
	if err := s.take(m.Chat, now); err != nil {
		return nil, err
	}
	m.Text, m.Raw, m.Mode, m.Entities, m.Keyboard = c.text, c.raw, c.mode, c.entities, keyboard
	m.Edits = append(m.Edits, Edit{At: now, Method: method, Text: c.text, Keyboard: keyboard})
	return s.render(m), nil
}

func (s *Server) deleteMessage(r request) (any, error) {
	m, err := s.named(r.params, "message to delete not found")
	if err != nil {
		return nil, err
	}
	if c := s.chats[m.Chat]; m.From != botID && c.Kind != "private" && !c.admin {
		return nil, badRequest("message can't be deleted")
	}
	m.Deleted = true
	return true, nil
}

func (s *Server) setMessageReaction(r request) (any, error) {
	if _, err := s.named(r.params, "message to react not found"); err != nil {
		return nil, err
	}
	var reactions []struct {
		Type string `json:"type"`
	}
	raw := r.params["reaction"]
	if raw == "" {
		return true, nil
	}
	if err := json.Unmarshal([]byte(raw), &reactions); err != nil {
		return nil, badRequest("can't parse reaction types JSON object")
	}
	if len(reactions) > 1 {
		return nil, badRequest("REACTIONS_TOO_MANY")
	}
	return true, nil
}
