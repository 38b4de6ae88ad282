package door

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// allow returns an error if the caller may not ask for the operation. It journals a
// refused decision: a session may have tried to answer its own question.
func (c *Call) allow(op Operation) error {
	c.row = op
	if op.Access.ofPrograms() && c.OnChannel() {
		return fmt.Errorf("%w: %s is not for a person", ErrDenied, c.op)
	}
	switch op.Access {
	case Hook:
		return c.allowHook()
	case Own:
		return c.allowOwn()
	case Runner:
		return c.allowRunner()
	case Person:
		return c.AllowPerson()
	case Change:
		if err := c.AllowPerson(); err != nil {
			return err
		}
		return c.allowChannel()
	case Standing:
		return c.AllowStanding()
	case Asker:
		if !c.SessionAsks() {
			return c.AllowStanding()
		}
	case Writer:
		if !c.writesAsSession() {
			return c.AllowStanding()
		}
	}
	return nil
}

func (c *Call) allowHook() error {
	if !peer.Supported || c.door.cfg.Callers.IsHook(c.exe()) {
		return nil
	}
	if c.exe() == "" && c.ended() { // it tried nothing that it could hear of
		return fmt.Errorf("%w: the hook has ended", ErrDenied)
	}
	c.refusedProgram("which is not a hook of Afar")
	return fmt.Errorf("%w: hook operations are taken only from the hook binaries in %s", ErrDenied, c.door.cfg.Bin)
}

// SessionAsks reports whether a program that a known session started is the caller, other
// than a hook. A browser never asks for a session.
func (c *Call) SessionAsks() bool {
	v, _ := c.Author()
	return peer.Supported && !c.OnChannel() && !c.door.cfg.Callers.IsHook(c.exe()) && v.ID != ""
}

// writesAsSession reports whether the caller writes in the name of a session: a program that one
// started, other than a browser.
func (c *Call) writesAsSession() bool {
	if c.OnChannel() {
		return false
	}
	_, by := c.Author()
	return by != callers.Person
}

// refusedProgram journals a call that was refused because of the caller's program.
func (c *Call) refusedProgram(why string) {
	text := fmt.Sprintf("%s was asked for by %s, %s", c.op, cmp.Or(c.exe(), "an unknown process"), why)
	if c.door.fresh(text) {
		c.Refused(text)
	}
}

// tellEvery is the shortest time between two journal entries for the same refusal. Without it
// an older installation next to this one would fill the journal.
const tellEvery = time.Minute

// fresh reports whether a refusal was not journalled within tellEvery, and notes that it
// is journalled now.
func (d *Door) fresh(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(d.told, func(_ string, at time.Time) bool { return now.Sub(at) >= tellEvery })
	if _, ok := d.told[text]; ok {
		return false
	}
	d.told[text] = now
	return true
}

// AllowFor returns an error if a hook may not speak for a session and name that client.
// Of the processes that a session started, only the client of this session may.
// Otherwise a session could run a hook binary with an input that it made itself.
func (c *Call) AllowFor(id session.ID, client int) error {
	if !peer.Supported {
		return nil
	}
	var where string
	var speaks bool
	if c.Line, where, speaks = c.door.cfg.Callers.Speaks(c.Line, id, client); speaks {
		return nil
	}
	if len(c.Line) == 0 { // the hook has ended on its own: it tried nothing, and hears nothing
		return fmt.Errorf("%w: the hook has ended", ErrDenied)
	}
	c.Refused(fmt.Sprintf("%s was asked for session %.40q from inside a session (%s)", c.op, id, where))
	return fmt.Errorf("%w: only the client of a session speaks for it", ErrDenied)
}

// AllowPerson returns an error unless the person makes a call: nobody inside a session, no hook, and no process that
// another one traces.
func (c *Call) AllowPerson() error {
	if !peer.Supported || c.by != "" { // the channel knows who it is
		return nil
	}
	if len(c.Line) == 0 {
		c.Refused(c.op + " was asked for by an unknown process")
		return fmt.Errorf("%w: %w", ErrDenied, peer.ErrUnknown)
	}
	if c.door.cfg.Callers.IsHook(c.exe()) {
		c.Refused(fmt.Sprintf("%s was asked for by %s", c.op, c.exe()))
		return fmt.Errorf("%w: a hook cannot make a decision", ErrDenied)
	}
	if where := c.Inside(); where != "" {
		c.Refused(fmt.Sprintf("%s was asked for from inside a session (%s)", c.op, where))
		return c.insideError()
	}
	if told := callers.Traced(c.Line); told != "" {
		c.Refused(c.op + " was asked for by a traced process: " + told)
		return fmt.Errorf("%w: %s. Whoever traces a process can make it say anything, so its decisions do not count. "+
			"End the debugger and decide again, or decide on the phone", ErrDenied, told)
	}
	return nil
}

// person checks whether the caller may take a decision that another program carries out,
// such as to uninstall. A refusal is journalled under the decision's name.
func person(c *Call, in wire.Named) (out wire.None, err error) {
	if in.ID == "" || len(in.ID) > 40 {
		return out, BadRequest("a decision needs a name")
	}
	return out, c.As(text.Fold(redact.Visible(in.ID))).AllowPerson()
}

// insideError returns the error for a decision of a line that is inside a session. It tells a
// person whose terminal or browser has the birthmark where they can decide.
func (c *Call) insideError() error {
	if c.door.cfg.Callers.Below(c.Line) != "" {
		return fmt.Errorf("%w: a session may not decide for its person; do it from a terminal of your own", ErrDenied)
	}
	return fmt.Errorf("%w: a session may not decide for its person, and this process has a birthmark: a session "+
		"started it, or one of its ancestors. Decide in a new terminal that no session started, or on the "+
		"phone. `afar doctor` names the terminals and browsers that have a birthmark", ErrDenied)
}

// AllowHere returns an error if a decision does not count on the channel that it comes
// from. The setting answers_from may exclude that channel.
func (c *Call) AllowHere() error {
	err := c.door.core.Counts(c.Channel())
	if err != nil {
		c.Refused(c.op + " was asked for at the " + c.Channel() + ", where answers do not count")
	}
	return err
}

// Refused journals that a call was refused.
func (c *Call) Refused(text string) { c.door.refused(c.op, text) }

// allowChannel returns an error for a decision from a channel whose answers do not count. The
// command line is a way out that always counts.
func (c *Call) allowChannel() error {
	if !c.OnChannel() {
		return nil
	}
	return c.AllowHere()
}

// refused journals a call that was refused.
func (d *Door) refused(name, text string) {
	if err := d.core.Note(event.Refused, "", name, text); err != nil {
		d.cfg.Log.Error("journal a refusal", "err", err)
	}
}

// AllowTerminal returns an error if the caller has neither a terminal nor a channel of the
// person. allow must have accepted the caller before.
func (c *Call) AllowTerminal() error {
	if !peer.Supported || c.OnChannel() || c.Line[0].Terminal {
		return nil
	}
	exe := filepath.Base(c.exe())
	c.Refused(fmt.Sprintf("%s was asked for by a process without a terminal (%s)", c.op, exe))
	return fmt.Errorf("%w: an answer needs a controlling terminal; type it in a terminal of your own", ErrDenied)
}

// AllowOwner returns an error unless the session v itself or the person makes a call.
func (c *Call) AllowOwner(v session.Session) error {
	if by, _ := c.Author(); by.ID != "" && by.ID == v.ID {
		return nil
	}
	return c.AllowPerson()
}

// AllowStanding returns an error unless the person makes a call, where their answers count.
// The error says where the person can do it.
func (c *Call) AllowStanding() error {
	if err := c.AllowPerson(); err != nil {
		return err
	}
	if err := c.AllowHere(); err != nil {
		return fmt.Errorf("%w; %s", err, c.elsewhere())
	}
	return nil
}

// elsewhere says where a person can do something whose operation is refused at a channel.
func (c *Call) elsewhere() string {
	from, found := c.door.core.Settings().AnswersFrom, []string{}
	if c.row.Phone != "" && slices.Contains(from, Telegram) {
		found = append(found, "on the phone: "+c.row.Phone)
	}
	if c.row.Page != "" && slices.Contains(from, Web) {
		found = append(found, "on the page: "+c.row.Page)
	}
	if slices.Contains(from, Terminal) {
		found = append(found, "at a terminal")
	}
	if len(found) == 0 {
		return `it is done at a terminal alone: add "terminal" to answers_from, then afar restart`
	}
	return "do it " + strings.Join(found, ", or ")
}

// allowOwn returns an error unless the caller is the afar program of this installation.
func (c *Call) allowOwn() error {
	if !peer.Supported || c.door.cfg.Callers.IsProgram(c.exe(), "afar") {
		return nil
	}
	c.refusedProgram("which is not the afar of this installation")
	return fmt.Errorf("%w: only %s may consult", ErrDenied, filepath.Join(c.door.cfg.Bin, "afar"))
}

// allowRunner returns an error unless the caller is the runner of this installation, outside
// every session.
func (c *Call) allowRunner() error {
	if !peer.Supported {
		return nil
	}
	if !c.door.cfg.Callers.IsProgram(c.exe(), "agent-run") {
		c.refusedProgram("which is not the runner of this installation")
		return fmt.Errorf("%w: only %s drives a turn", ErrDenied, filepath.Join(c.door.cfg.Bin, "agent-run"))
	}
	if where := c.Inside(); where != "" && !c.door.cfg.Callers.IsRunner(c.Line[0]) {
		c.Refused(fmt.Sprintf("%s was asked for from inside a session (%s)", c.op, where))
		return fmt.Errorf("%w: a session cannot drive a turn", ErrDenied)
	}
	return nil
}
