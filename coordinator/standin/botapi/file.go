package botapi

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// maxDownload is the largest file that a bot gets, in bytes.
const maxDownload = 20 << 20

// SendFile sends a file as an answer to a message, 0 for none, with a caption, and returns the
// message's id. Without an answered message the file goes to the user's own chat.
func (u *User) SendFile(replyTo int, name string, data []byte, caption string) (int, error) {
	return u.attach(replyTo, Message{Text: caption, Document: &Document{Name: name, Data: data}})
}

// SendPhoto sends a photo like SendFile.
func (u *User) SendPhoto(replyTo int, data []byte, caption string) (int, error) {
	return u.attach(replyTo, Message{Text: caption, Document: &Document{Data: data}, kind: "photo"})
}

// SendVoice sends a voice message like SendFile.
func (u *User) SendVoice(replyTo int) (int, error) { return u.attach(replyTo, Message{kind: "voice"}) }

func (u *User) attach(replyTo int, m Message) (int, error) {
	m.Chat = u.ID
	if replyTo != 0 {
		to, err := u.visible(replyTo)
		if err != nil {
			return 0, fmt.Errorf("send a file: %w", err)
		}
		m.Chat, m.Thread, m.ReplyTo = to.Chat, to.Thread, to.ID
	}
	return u.post(m), nil
}

type apiPhoto struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	Width        int    `json:"width"`
	Height       int    `json:"height"`
	FileSize     int    `json:"file_size"`
}

type apiVoice struct {
	FileID       string `json:"file_id"`
	FileUniqueID string `json:"file_unique_id"`
	Duration     int    `json:"duration"`
}

// photoOf returns a photo in two sizes, the smaller one first, as Telegram does.
func photoOf(m *Message) []apiPhoto {
	n := len(m.Document.Data)
	return []apiPhoto{
		{FileID: "thumb", FileUniqueID: "u-thumb", Width: 90, Height: 67, FileSize: min(n, 1000)},
		{FileID: fileID(m), FileUniqueID: "u-" + fileID(m), Width: 1280, Height: 960, FileSize: n},
	}
}

// fileID names the file of a message.
func fileID(m *Message) string {
	if m.From == botID {
		return "doc-" + m.Document.Name
	}
	return fmt.Sprintf("file-%d", m.ID)
}

// filePath is where the file of a message is fetched.
func filePath(m *Message) string {
	if m.kind == "photo" {
		return fmt.Sprintf("photos/file_%d.jpg", m.ID)
	}
	return fmt.Sprintf("documents/file_%d%s", m.ID, path.Ext(m.Document.Name))
}

// fileWhere returns the message whose file fits, nil for none. The caller holds mu.
func (s *Server) fileWhere(fits func(*Message) bool) *Message {
	for _, id := range s.order {
		if m := s.messages[id]; m.Document != nil && fits(m) {
			return m
		}
	}
	return nil
}

func (s *Server) getFile(r request) (any, error) {
	id := r.params["file_id"]
	m := s.fileWhere(func(m *Message) bool { return fileID(m) == id })
	switch {
	case id == "":
		return nil, badRequest("file_id not specified")
	case m == nil:
		return nil, badRequest("wrong file_id or the file is temporarily unavailable")
	case len(m.Document.Data) > maxDownload:
		return nil, badRequest("file is too big")
	}
	return map[string]any{
		"file_id": id, "file_unique_id": "u-" + id, "file_size": len(m.Document.Data), "file_path": filePath(m),
	}, nil
}

// serveFile answers /file/bot<token>/<path>.
func (h handler) serveFile(w http.ResponseWriter, rest string) {
	token, name, _ := strings.Cut(rest, "/")
	h.s.mu.Lock()
	m := h.s.fileWhere(func(m *Message) bool { return filePath(m) == name })
	h.s.mu.Unlock()
	switch {
	case token != h.s.token:
		respond(w, nil, &apiError{code: http.StatusUnauthorized, text: "Unauthorized"})
	case m == nil:
		respond(w, nil, &apiError{code: http.StatusNotFound, text: "Not Found"})
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(m.Document.Data) // a bot that is gone needs no file
	}
}
