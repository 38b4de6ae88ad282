package botapi

// What goes over the wire, in the Bot API's own words.

type apiUser struct {
	ID        int64  `json:"id"`
	IsBot     bool   `json:"is_bot"`
	FirstName string `json:"first_name"`
	Username  string `json:"username,omitempty"`
	Language  string `json:"language_code,omitempty"`
}

type apiChat struct {
	ID        int64  `json:"id"`
	Type      string `json:"type"`
	Title     string `json:"title,omitempty"`
	FirstName string `json:"first_name,omitempty"`
	IsForum   bool   `json:"is_forum,omitempty"`
}

type apiMessage struct {
	ID              int          `json:"message_id"`
	Thread          int          `json:"message_thread_id,omitempty"`
	IsTopic         bool         `json:"is_topic_message,omitempty"`
	From            *apiUser     `json:"from,omitempty"`
	SenderChat      *apiChat     `json:"sender_chat,omitempty"`
	Chat            apiChat      `json:"chat"`
	Date            int64        `json:"date"`
	EditDate        int64        `json:"edit_date,omitempty"`
	Origin          *origin      `json:"forward_origin,omitempty"`
	ReplyTo         *apiMessage  `json:"reply_to_message,omitempty"`
	Text            string       `json:"text,omitempty"`
	Entities        []Entity     `json:"entities,omitempty"`
	Document        *apiDocument `json:"document,omitempty"`
	Photo           []apiPhoto   `json:"photo,omitempty"`
	Voice           *apiVoice    `json:"voice,omitempty"`
	Sticker         *apiSticker  `json:"sticker,omitempty"`
	Caption         string       `json:"caption,omitempty"`
	CaptionEntities []Entity     `json:"caption_entities,omitempty"`
	Markup          *apiMarkup   `json:"reply_markup,omitempty"`
	Created         *apiTopic    `json:"forum_topic_created,omitempty"`
	Left            *apiUser     `json:"left_chat_member,omitempty"`
	Joined          []apiUser    `json:"new_chat_members,omitempty"`
	MovedTo         int64        `json:"migrate_to_chat_id,omitempty"`
	MovedFrom       int64        `json:"migrate_from_chat_id,omitempty"`
}

type apiTopic struct {
	Name  string `json:"name"`
	Color int    `json:"icon_color"`
}

// An origin says who wrote what was forwarded.
type origin struct {
	Type           string `json:"type"`
	SenderUserName string `json:"sender_user_name,omitempty"`
	Date           int64  `json:"date"`
}

type apiDocument struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	FileName     string `json:"file_name,omitempty"`
	FileSize     int    `json:"file_size"`
}

type apiSticker struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	Type         string `json:"type"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
	Emoji        string `json:"emoji,omitempty"`
}

type apiMarkup struct {
	Rows [][]apiButton `json:"inline_keyboard"`
}

type apiButton struct {
	Text string `json:"text"`
	Data string `json:"callback_data,omitempty"`
	URL  string `json:"url,omitempty"`
}

// render shows a message as the Bot API does, with the message it answers one
// level deep. The caller holds mu.
func (s *Server) render(m *Message) *apiMessage {
	r := s.renderAlone(m)
	if to := s.message(m.ReplyTo); to != nil {
		r.ReplyTo = s.renderAlone(to)
	}
	s.place(r, m)
	return r
}

// message returns a message that was not deleted, nil if there is none. The caller holds mu.
func (s *Server) message(id int) *Message {
	if m, ok := s.messages[id]; ok && !m.Deleted {
		return m
	}
	return nil
}

func (s *Server) renderAlone(m *Message) *apiMessage {
	r := &apiMessage{
		ID:     m.ID,
		Chat:   s.renderChat(m.Chat),
		Date:   m.Sent.Unix(),
		Origin: m.origin,
		Markup: renderMarkup(m.Keyboard),
	}
	if n := len(m.Edits); n > 0 {
		r.EditDate = m.Edits[n-1].At.Unix()
	}
	s.renderSender(r, m)
	switch user := r.From; m.kind {
	case "left":
		r.Left = user
	case "joined":
		r.Joined = []apiUser{*user}
	}
	renderContent(r, m)
	return r
}

func (s *Server) renderSender(r *apiMessage, m *Message) {
	switch {
	case m.kind == "channel_post" || r.Chat.Type == "channel":
		r.SenderChat = &r.Chat
	case m.From == botID:
		bot := renderBot()
		r.From = &bot
	default:
		from := s.users[m.From].render()
		r.From = &from
	}
}

func renderContent(r *apiMessage, m *Message) {
	switch {
	case m.kind == "photo":
		r.Caption, r.CaptionEntities = m.Text, m.Entities
		r.Photo = photoOf(m)
	case m.kind == "voice":
		r.Voice = &apiVoice{FileID: "voice", FileUniqueID: "u-voice", Duration: 3}
	case m.Document != nil:
		r.Caption, r.CaptionEntities = m.Text, m.Entities
		r.Document = &apiDocument{
			FileID: fileID(m), FileUniqueID: "u-" + fileID(m),
			FileName: m.Document.Name, FileSize: len(m.Document.Data),
		}
	case m.kind == "moved":
		r.MovedTo, r.MovedFrom = m.movedTo, m.movedFrom
	case m.kind == "sticker":
		r.Sticker = &apiSticker{
			FileID: "sticker", FileUniqueID: "u-sticker", Type: "regular",
			Width: 512, Height: 512, Emoji: "👍",
		}
	default:
		r.Text, r.Entities = m.Text, m.Entities
	}
}

func renderMarkup(rows [][]Button) *apiMarkup {
	if len(rows) == 0 {
		return nil
	}
	m := &apiMarkup{}
	for _, row := range rows {
		var out []apiButton
		for _, b := range row {
			out = append(out, apiButton{Text: b.Label, Data: b.Data, URL: b.URL})
		}
		m.Rows = append(m.Rows, out)
	}
	return m
}

func (s *Server) renderChat(id int64) apiChat {
	c := s.chats[id]
	r := apiChat{ID: id, Type: c.Kind, Title: c.Title, IsForum: c.Forum}
	if c.Kind == "private" {
		r.FirstName = s.users[id].Name
	}
	return r
}

func (u *User) render() apiUser {
	return apiUser{ID: u.ID, FirstName: u.Name, Language: "en"}
}

func renderBot() apiUser {
	return apiUser{ID: botID, IsBot: true, FirstName: botName, Username: botUsername}
}

// botMember is the bot's place in a private chat.
func botMember(status string) map[string]any {
	m := map[string]any{"user": renderBot(), "status": status}
	if status == "kicked" {
		m["until_date"] = 0
	}
	return m
}
