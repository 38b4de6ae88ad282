package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-telegram/bot"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A media holds what a message may carry beside a text. Of the kinds that Afar does not keep,
// it only says that they are there.
type media struct {
	Document  *document       `json:"document"`
	Photo     []document      `json:"photo"` // the same photo in several sizes, the smallest first
	Video     json.RawMessage `json:"video"`
	VideoNote json.RawMessage `json:"video_note"`
	Audio     json.RawMessage `json:"audio"`
	Voice     json.RawMessage `json:"voice"`
	Caption   string          `json:"caption"`
	Sticker   json.RawMessage `json:"sticker"`
	Animation json.RawMessage `json:"animation"`
	Location  json.RawMessage `json:"location"`
	Contact   json.RawMessage `json:"contact"`
	Poll      json.RawMessage `json:"poll"`
	Dice      json.RawMessage `json:"dice"`
}

// A document is a file that Telegram holds.
type document struct {
	ID   string `json:"file_id"`
	Name string `json:"file_name"`
	Size int64  `json:"file_size"` // 0 where Telegram does not say
}

// file returns the file of a message, nil for none.
func (m media) file() *document {
	if m.Document != nil || len(m.Photo) == 0 {
		return m.Document
	}
	largest := m.Photo[len(m.Photo)-1]
	largest.Name = "photo.jpg"
	return &largest
}

// any reports whether a message carries a file of any kind.
func (m media) any() bool {
	return m.file() != nil || m.unread() != ""
}

// unread names what a message carries that Afar cannot read, "" for nothing.
func (m media) unread() string {
	for _, kind := range []struct {
		name string
		raw  json.RawMessage
	}{
		{"a voice note", m.Voice}, {"a recording", m.Audio}, {"a video", m.Video}, {"a video note", m.VideoNote},
		{"a sticker", m.Sticker}, {"an animation", m.Animation}, {"a place", m.Location}, {"a contact", m.Contact},
		{"a poll", m.Poll}, {"a die", m.Dice},
	} {
		if kind.raw != nil {
			return kind.name
		}
	}
	return ""
}

// The answers to a file that is not kept.
const (
	fileForWhat = "I keep a file only for a task. Send it as a reply to a message of that task; /tasks lists them."
	fileKind    = "I keep documents and photos. Send this one as a file, in reply to the same message."
	notRead     = "I cannot read %s, so nothing was decided. Write it as a text, or tap a button."
	fileTooBig  = "Not saved: the file is larger than 20 MB, and Telegram gives larger ones to no bot. " +
		"Put it into the task's folder by hand."
)

// sentFile handles a file of the person. In reply to a message of a task it is for that task.
func (l *link) sentFile(update int64, m message) error {
	act, f := m.act(update), m.file()
	slug, ok := l.taskMeant(m)
	switch {
	case !ok && m.Caption != "" && m.Origin == nil && m.Via == nil:
		return l.captioned(update, m)
	case !ok && m.Chat.group() && m.reply() == nil:
		return l.cfg.Core.Acknowledge(act, "") // people send each other files there
	case !ok && m.unread() != "":
		return l.cfg.Core.Acknowledge(act, fmt.Sprintf(notRead, m.unread()))
	case !ok:
		return l.cfg.Core.Acknowledge(act, fileForWhat)
	case f == nil:
		return l.cfg.Core.Acknowledge(act, fileKind)
	case f.Size > task.MaxArtifact:
		return l.cfg.Core.Acknowledge(act, fileTooBig)
	}
	return l.cfg.Core.OrderTaskFile(act, core.TaskFile{
		Task: slug,
		ID:   f.ID,
		Name: f.Name,
		Text: m.Caption,
		By:   m.From.name(),
		Key:  l.keyOf(update),
	})
}

// captioned handles what the person wrote below a picture or a file that is for no task, as if they had sent it alone.
func (l *link) captioned(update int64, m message) error {
	m.Text = m.Caption
	if m.reply() != nil {
		return l.replied(update, m)
	}
	return l.wrote(update, m)
}

// taskMeant returns the task whose message m replies to: one with buttons of the task, or the card of its question.
func (l *link) taskMeant(m message) (slug task.Slug, ok bool) {
	to := m.reply()
	if to == nil || m.Origin != nil || m.Via != nil {
		return "", false
	}
	if slug = to.task(); slug != "" {
		return slug, true
	}
	id, err := l.cfg.Core.Shows(Name, messageID(m.Chat.ID, to.ID))
	if err != nil || id == "" {
		return "", false
	}
	a, _ := l.cfg.Core.Ask(id) // an unknown ask is of no task
	if slug = task.Slug(a.Task); a.Mirrored() && slug != "" {
		slug += task.Slug("@" + a.From.Name)
	}
	return slug, slug != ""
}

// taskFile carries out a core.TaskFile: it fetches the file, saves it and says so.
func (l *link) taskFile(ctx context.Context, raw string) error {
	var f core.TaskFile
	if err := json.Unmarshal([]byte(raw), &f); err != nil {
		return core.GiveUp(err)
	}
	to, err := parseAddress(f.To)
	if err != nil {
		return core.GiveUp(err)
	}
	data, err := l.fetch(ctx, f.ID)
	switch {
	case errors.Is(err, errTooBig):
		return l.say(ctx, to, fileTooBig)
	case errors.Is(err, core.ErrGiveUp):
		return l.say(ctx, to, "Not saved: Telegram does not give me the file. Send it again.")
	case err != nil:
		return err
	}
	return l.say(ctx, to, l.keepFile(f, data))
}

// keepFile saves a file among the artifacts of its task, sends the task what the person wrote
// below it, and says what happened.
func (l *link) keepFile(f core.TaskFile, data []byte) string {
	in := wire.TaskKeepRequest{ID: string(f.Task), Name: f.Name, Data: data}
	kept, err := call(l, f.By, wire.OpTaskKeep, in)
	if err != nil {
		return "Not saved. " + notDone(err)
	}
	said := "📎 " + kept.Path + " is in the folder of " + string(f.Task) + "."
	if f.Text == "" {
		return said + "\nReply with a text to have the task look at it."
	}
	text := f.Text + "\n\n(The file is " + kept.Path + ".)"
	send := wire.SendRequest{ID: f.Key, To: wire.ToTask + string(f.Task), Text: text}
	sent, err := call(l, f.By, wire.OpSend, send)
	if err != nil {
		return said + "\nYour text was not sent. " + notDone(err)
	}
	return said + "\n📨 " + sent.To + " gets your text " + sent.When + "."
}

var errTooBig = errors.New("the file is too big")

// fetchFor is how long a file may take to arrive.
const fetchFor = time.Minute

// fetch returns a file that Telegram holds.
func (l *link) fetch(ctx context.Context, id string) ([]byte, error) {
	ctx, cancel := outlast(ctx, fetchFor)
	defer cancel()
	f, err := l.bot.GetFile(ctx, &bot.GetFileParams{FileID: id})
	switch {
	case says(err, "file is too big"):
		return nil, errTooBig
	case err != nil:
		return nil, l.outcome(0, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, l.bot.FileDownloadLink(f), nil)
	if err != nil {
		return nil, core.GiveUp(l.redact(err))
	}
	resp, err := l.http.Do(req)
	if err != nil {
		return nil, l.redact(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, core.GiveUp(fmt.Errorf("fetch a file: HTTP %d", resp.StatusCode))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, task.MaxArtifact+1))
	if len(data) > task.MaxArtifact {
		return nil, errTooBig
	}
	return data, l.redact(err)
}
