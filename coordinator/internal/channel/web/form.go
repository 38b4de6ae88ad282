package web

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// maxForm bounds the body of a form, in bytes.
const maxForm = 256 << 10

// A form carries out one decision of the person and says in one line what it led to.
type form func(d *decision) (said string, err error)

// A decision is a form that a browser has sent.
type decision struct {
	*http.Request
	page *Channel
}

// decide carries out an operation for the browser that sent the form.
func decide[Request, Reply any](d *decision, op wire.Op[Request, Reply], in Request) (Reply, error) {
	return carryOut(d, op.With(in))
}

func carryOut[Reply any](d *decision, made wire.Call[Reply]) (Reply, error) {
	return made.Through(d.do)
}

// do carries out an operation for the browser that sent the form. It is a view.Caller.
func (d *decision) do(op string, in any) (any, error) {
	v := visitorOf(d.Request)
	return d.page.cfg.Call(d.Context(), d.page.line(v.local, v.remote), op, in)
}

// take answers a form: it says on the page that the form was sent from what it led to.
func (c *Channel) take(f form) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			http.Error(w, "This form cannot be read. Nothing was changed.", http.StatusBadRequest)
			return
		}
		said, err := f(&decision{Request: r, page: c})
		told := page.Said{Text: said}
		if err != nil {
			told = page.Said{Text: trouble(err), Bad: true}
			c.cfg.Log.Info("a form was refused", "path", r.URL.Path, "err", err)
		}
		c.answer(w, r, told)
	}
}

// answer goes back to the page that the form was sent from. That page shows what it led to.
func (c *Channel) answer(w http.ResponseWriter, r *http.Request, told page.Said) {
	c.mu.Lock()
	c.said[visitorOf(r).ID] = told
	c.mu.Unlock()
	http.Redirect(w, r, localPath(r.PostForm.Get("back")), http.StatusSeeOther)
}

// saidTo returns what the last form of a browser led to, once.
func (c *Channel) saidTo(v visitor) *page.Said {
	c.mu.Lock()
	defer c.mu.Unlock()
	told, ok := c.said[v.ID]
	if !ok {
		return nil
	}
	delete(c.said, v.ID)
	return &told
}

// trouble says why something did not work.
func trouble(err error) string {
	if errors.Is(err, ask.ErrSettled) {
		return "Too late. " + strings.TrimPrefix(err.Error(), ask.ErrSettled.Error())
	}
	text := err.Error()
	for _, head := range []string{"bad request: ", "refused: "} {
		text = strings.TrimPrefix(text, head)
	}
	return sentence(text)
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

var errButton = errors.New("this page does not know that button; reload it")

// answerForm answers a question.
func answerForm(d *decision) (string, error) {
	options, err := numbers(d.PostForm["option"])
	do := view.Questions.Does[d.PostForm.Get("do")]
	if err != nil || do == nil {
		return "", errButton
	}
	done, err := do(d.do, d.PathValue("id"), view.Input{
		Seen: d.PostForm.Get("nonce"), Words: strings.TrimSpace(d.PostForm.Get("text")), Options: options,
	})
	return done.Said, err
}

// numbers reads the options that were picked. An empty list is none.
func numbers(texts []string) (out []int, err error) {
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, errButton
		}
		out = append(out, n)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// sendForm sends a text to a session.
func sendForm(d *decision) (string, error) { return d.send(d.PathValue("token")) }

// send sends the text of the form to an address.
func (d *decision) send(to string) (string, error) {
	in := wire.SendRequest{ID: "page-" + rand.Text(), To: to, Text: d.PostForm.Get("text")}
	sent, err := decide(d, wire.OpSend, in)
	if err != nil {
		return "", err
	}
	return sent.To + " gets it " + sent.When + ".", nil
}

// stopForm ends the running turn of a session.
func stopForm(d *decision) (string, error) {
	out, err := decide(d, wire.OpTurnStop, wire.Named{ID: d.PathValue("token")})
	return out.Text, err
}

// cancelForm cancels the loop of a session.
func cancelForm(d *decision) (string, error) {
	_, err := decide(d, wire.OpLoopCancel, wire.Named{ID: d.PathValue("token")})
	if err != nil {
		return "", err
	}
	return "The loop is cancelled.", nil
}

// awayForm sets when questions leave the terminal, for one session or for all.
func awayForm(d *decision) (string, error) {
	in := wire.AwayRequest{Mode: d.PostForm.Get("mode"), Session: d.PathValue("token")}
	var err error
	if in.ForMS, err = d.length(); err != nil {
		return "", err
	}
	if _, err := decide(d, wire.OpAway, in); err != nil {
		return "", err
	}
	return "Away is " + in.Mode + ".", nil
}

// length reads the field "for", a length of time in milliseconds. An empty field is 0.
func (d *decision) length() (ms int64, err error) {
	text := strings.TrimSpace(d.PostForm.Get("for"))
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("the time is %q; want one such as 2h", text)
	}
	return wait.Milliseconds(), nil
}

func pauseForm(d *decision) (string, error) {
	_, err := decide(d, wire.OpPause, wire.PauseRequest{On: true})
	return "Afar is paused. The guard still judges every call.", err
}

func resumeForm(d *decision) (string, error) {
	if project := d.PostForm.Get("project"); project != "" {
		on := d.PostForm.Get("silent") != ""
		_, err := decide(d, wire.OpPause, wire.PauseRequest{On: on, Project: project})
		return "It is noted. It holds for the next event of a session there.", err
	}
	_, err := decide(d, wire.OpPause, wire.PauseRequest{})
	return "Afar goes on.", err
}

func revokeForm(d *decision) (string, error) {
	_, err := decide(d, wire.OpRevoke, wire.Named{ID: d.PathValue("id")})
	return "The permission has ended.", err
}

// undoForm takes a step back.
func undoForm(d *decision) (string, error) {
	in := wire.UndoRequest{ID: d.PathValue("id"), Force: d.PostForm.Get("do") == "overwrite"}
	out, err := decide(d, wire.OpUndo, in)
	if err != nil {
		return "", err
	}
	return out.Did, nil
}

// endForm signs a browser out.
func endForm(d *decision) (string, error) {
	_, err := decide(d, wire.OpSignOut, wire.Named{ID: d.PathValue("id")})
	return "That browser is signed out.", err
}

// settingsForm writes the settings that people change most. A field without a text is the default.
func settingsForm(d *decision) (string, error) {
	in := wire.ConfigSetRequest{Values: map[string]string{}}
	for key := range d.PostForm {
		if strings.Contains(key, ".") {
			in.Values[key] = strings.TrimSpace(d.PostForm.Get(key))
		}
	}
	out, err := decide(d, wire.OpConfigSet, in)
	switch {
	case err != nil:
		return "", err
	case len(out.Written) == 0:
		return "Nothing was changed.", nil
	}
	d.page.config.refresh()
	return "Saved. It holds from now on.", nil
}

// pairForm makes a code that pairs a phone. The settings page shows it while it is valid.
func pairForm(d *decision) (string, error) {
	out, err := decide(d, wire.OpTelegramPair, wire.None{})
	if err != nil {
		return "", err
	}
	d.page.keepCode(out)
	return "Send the code to the bot, or scan it.", nil
}
