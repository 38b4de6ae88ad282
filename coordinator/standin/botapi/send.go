package botapi

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

const (
	maxText    = 4096 // UTF-16 code units, after entity parsing
	maxCaption = 1024
)

// A content is a text, both as the bot sent it and as people see it.
type content struct {
	text, raw, mode string
	entities        []Entity
}

func (s *Server) sendMessage(r request) (any, error) {
	text, err := r.content("text", "entities")
	if err != nil {
		return nil, err
	}
	if err := text.checkText(); err != nil {
		return nil, err
	}
	return s.send(r, text, nil)
}

func (s *Server) sendDocument(r request) (any, error) {
	caption, err := r.content("caption", "caption_entities")
	if err != nil {
		return nil, err
	}
	if err := caption.checkCaption(); err != nil {
		return nil, err
	}
	doc, err := r.document()
	if err != nil {
		return nil, err
	}
	return s.send(r, caption, doc)
}

// send adds the bot's message if everything about it is valid.
func (s *Server) send(r request, c content, doc *Document) (any, error) {
	keyboard, err := keyboardOf(r.params["reply_markup"])
	if err != nil {
		return nil, err
	}
	chat, err := s.writable(r.params)
	if err != nil {
		return nil, err
	}
	if chat.silent {
		return nil, badRequest("not enough rights to send text messages to the chat")
	}
	thread, err := s.thread(r.params, chat)
	if err != nil {
		return nil, err
	}
	replyTo, err := s.replyTo(r.params, chat)
	if err != nil {
		return nil, err
	}
	if to := s.messages[replyTo]; thread == 0 && to != nil {
		thread = to.Thread // an answer goes where the message is that it answers
	}
	if err := s.take(chat.ID, time.Now()); err != nil {
		return nil, err
	}
	m := s.addMessage(Message{
		Chat: chat.ID, Thread: thread, From: botID, ReplyTo: replyTo,
		Text: c.text, Raw: c.raw, Mode: c.mode, Entities: c.entities,
		Keyboard: keyboard, Document: doc, Silent: r.yes("disable_notification"),
	})
	return s.render(m), nil
}

// content reads a text with the parse_mode or the entities that shape it.
func (r request) content(text, entities string) (content, error) {
	c := content{raw: r.params[text], mode: r.params["parse_mode"]}
	var err error
	switch strings.ToLower(c.mode) {
	case "", "none":
		c.text = c.raw
		c.entities, err = entitiesOf(r.params[entities])
	case "html":
		c.text, c.entities, err = parseHTML(c.raw)
	case "markdown", "markdownv2":
		err = badRequest("the stand-in parses parse_mode HTML only, not %s", c.mode)
	default:
		err = badRequest("unsupported parse_mode")
	}
	if err != nil {
		return content{}, err
	}
	c.text, c.entities, err = fix(c.text, c.entities)
	return c, err
}

func (c content) checkText() error {
	switch {
	case c.raw == "":
		return badRequest("message text is empty")
	case c.text == "":
		return badRequest("text must be non-empty")
	case units(c.text) > maxText:
		return badRequest("message is too long")
	}
	return nil
}

func (c content) checkCaption() error {
	if units(c.text) > maxCaption {
		return badRequest("message caption is too long")
	}
	return nil
}

// document finds the uploaded file, in its own field or attached under another.
func (r request) document() (*Document, error) {
	doc, ok := r.files["document"]
	if name, attached := strings.CutPrefix(r.params["document"], "attach://"); !ok && attached {
		doc, ok = r.files[name]
	}
	switch {
	case !ok && r.params["document"] != "":
		return nil, badRequest("wrong file identifier/HTTP URL specified")
	case !ok:
		return nil, badRequest("there is no document in the request")
	case len(doc.Data) == 0:
		return nil, badRequest("file must be non-empty")
	case len(doc.Data) > maxUpload:
		return nil, &apiError{code: 413, text: "Request Entity Too Large"}
	}
	return &doc, nil
}

// chat returns the chat that a call names, if the bot knows it.
func (s *Server) chat(p params) (*Chat, error) {
	if p["chat_id"] == "" {
		return nil, badRequest("chat_id is empty")
	}
	id, err := p.integer("chat_id")
	if err != nil {
		return nil, badRequest("chat not found")
	}
	c, ok := s.chats[id]
	if !ok {
		return nil, badRequest("chat not found")
	}
	if u := s.users[id]; c.Kind == "private" && !u.started && !u.met {
		return nil, badRequest("chat not found")
	}
	return c, nil
}

// writable returns the chat that a call names, if the bot may write there.
func (s *Server) writable(p params) (*Chat, error) {
	c, err := s.chat(p)
	if err == nil {
		err = s.refusal(c)
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// replyTo returns the message that a call answers, or 0.
func (s *Server) replyTo(p params, c *Chat) (int, error) {
	var to struct {
		ID      int    `json:"message_id"`
		Quote   string `json:"quote"`
		Lenient bool   `json:"allow_sending_without_reply"`
	}
	if raw := p["reply_parameters"]; raw != "" {
		if err := json.Unmarshal([]byte(raw), &to); err != nil {
			return 0, badRequest("can't parse reply parameters JSON object")
		}
	} else {
		id, err := p.integer("reply_to_message_id")
		if err != nil || id == 0 {
			return 0, err
		}
		to.ID, to.Lenient = int(id), p.yes("allow_sending_without_reply")
	}
	m := s.message(to.ID)
	switch {
	case m != nil && m.Chat == c.ID:
		if !strings.Contains(m.Text, to.Quote) {
			return 0, badRequest("QUOTE_TEXT_INVALID")
		}
		return to.ID, nil
	case to.Lenient:
		return 0, nil
	}
	return 0, badRequest("message to be replied not found")
}

func (s *Server) sendChatAction(r request) (any, error) {
	if _, err := s.writable(r.params); err != nil {
		return nil, err
	}
	known := []string{
		"typing", "upload_photo", "record_video", "upload_video", "record_voice", "upload_voice",
		"upload_document", "choose_sticker", "find_location", "record_video_note", "upload_video_note",
	}
	if !slices.Contains(known, r.params["action"]) {
		return nil, badRequest("wrong parameter action in request")
	}
	return true, nil
}
