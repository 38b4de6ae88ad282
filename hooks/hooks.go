// Package hooks implements the hook binaries. A hook reads the host's input, judges
// the call or asks the coordinator, and prints its output for the host, all within
// a deadline. If that fails, the hook's class decides what happens; see fail.go.
//
// The hooks run on every tool call, so the package imports nothing that slows the
// start of a process.
package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	_ "github.com/afar-sh/afar/coordinator/roomy" // first of all
	"github.com/afar-sh/afar/coordinator/wire"
)

// An Event is one of the host's events, with what Afar does about it.
type Event struct {
	name  string // hook_event_name
	class class
	do    func(*hook) error
	// unlessOff is true if nothing is done while Afar is switched off.
	unlessOff bool

	// closed is true if the client was told to stop the call when this hook fails.
	closed bool

	// skillsJudged is true if this session has Afar's hook of PreSkillShellCommand, if its
	// client knows the event.
	skillsJudged bool

	// dialogless is true if the client opens no dialog about the event, even with a person
	// at its terminal. The hook then waits for the answer itself.
	dialogless bool
}

// The events for which Afar has a binary. Those whose binary links the guard are below.
var (
	SessionEnd         = event("SessionEnd", other, sessionEnd)
	UserPromptSubmit   = unlessOff("UserPromptSubmit", other, userPromptSubmit)
	PermissionDenied   = unlessOff("PermissionDenied", other, permissionDenied)
	Elicitation        = unlessOff("Elicitation", asks, elicitation)
	PostToolUse        = event("PostToolUse", other, postToolUse)
	PostToolBatch      = event("PostToolBatch", other, postToolBatch)
	PostToolUseFailure = event("PostToolUseFailure", other, postToolUseFailure)
	Stop               = unlessOff("Stop", other, stop)
	StopRewake         = unlessOff("Stop", other, stopRewake) // of StopFailure as well, see read
	StopPrompt         = event("Stop", other, stopPrompt)     // our mod runs it
	StopFailure        = event("StopFailure", other, stopFailure)
	PreCompact         = event("PreCompact", other, preCompact)
	SubagentStop       = unlessOff("SubagentStop", other, subagentStop)
	SubagentStart      = unlessOff("SubagentStart", other, subagentStart)
	Notification       = event("Notification", other, notification)
	ConfigChange       = event("ConfigChange", guards, configChange)
)

func event(name string, c class, do func(*hook) error) Event {
	return Event{name: name, class: c, do: do}
}

// unlessOff returns an event for which nothing is done while Afar is switched off. It is
// plain data, like what event returns, so that a program links only its own event.
func unlessOff(name string, c class, do func(*hook) error) Event {
	return Event{name: name, class: c, do: do, unlessOff: true}
}

// SessionStart returns the event of that name. broken returns what is wrong with
// the guard's policy files, so that the person learns of it before the first call.
func SessionStart(broken func(Place) string) Event {
	return event("SessionStart", other, func(h *hook) error { return sessionStart(h, broken) })
}

// PreToolUse returns the event of that name, with the guard that judges its calls.
func PreToolUse(g Guard) Event {
	return event("PreToolUse", guards, func(h *hook) error { return preToolUse(h, g) })
}

// PreSkillShellCommand returns the event of that name, with the guard that judges its
// commands. The client runs them when it loads the text of a skill or a command.
func PreSkillShellCommand(g Guard) Event {
	e := event("PreSkillShellCommand", guards, func(h *hook) error { return preToolUse(h, g) })
	e.dialogless = true
	return e
}

const promptExpansion = "UserPromptExpansion"

// UserPromptExpansion returns the event of that name, with the guard that judges what a
// typed command makes the client run.
func UserPromptExpansion(g Guard) Event {
	return event(promptExpansion, other, func(h *hook) error { return userPromptExpansion(h, g) })
}

// PermissionRequest returns the event of that name, with the guard that judges its
// calls.
func PermissionRequest(g Guard) Event {
	return event("PermissionRequest", asks, func(h *hook) error { return permissionRequest(h, g) })
}

// Main runs one event's hook for this process and exits with its code.
func Main(e Event) {
	if len(os.Args) > 1 && os.Args[1] == register {
		os.Exit(sendRegistration(os.Stdin, os.Getenv))
	}
	e.closed = slices.Contains(os.Args[1:], onFailureBlock)
	e.skillsJudged = slices.Contains(os.Args[1:], skillsJudged)
	os.Exit(Run(e, os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}

// Run runs one event's hook with the given input, outputs and environment. It
// returns the exit code and never panics.
func Run(e Event, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) (code int) {
	h := &hook{event: e, stdout: stdout, getenv: getenv, parent: os.Getppid(), began: time.Now()}
	defer func() { h.finish(code) }()
	var err error
	defer func() { h.record(h.decided(code, err), err) }()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v", r)
			code = h.fail(err, stderr)
		}
	}()
	err = h.run(stdin)
	if wake := (errWake{}); errors.As(err, &wake) {
		return wake.wake(stderr)
	}
	if err != nil {
		return h.fail(err, stderr)
	}
	return 0
}

func (h *hook) run(stdin io.Reader) error {
	if err := h.locate(); err != nil {
		return err
	}
	if h.event.class != guards { // a guard seldom calls the coordinator
		h.client.Knock()
	}
	if err := h.read(stdin); err != nil {
		return err
	}
	if h.event.unlessOff && h.off() {
		return nil
	}
	return h.event.do(h)
}

// A hook is one run of a hook binary.
type hook struct {
	event  Event
	input  []byte // the host's JSON, valid
	parsed hostjson.Value
	client *client.Client
	pinned bool // the environment cannot move the coordinator's home
	stdout io.Writer
	getenv claude.Env // the first call costs: not before Knock
	owed   *receipt   // nil for none
	unhear func()     // stops handling the host's signals; nil if they are not handled

	began   time.Time
	parent  int    // the process that started this one
	printed []byte // what the host was told, for debugging
}

// Errors of an input that cannot be used.
var (
	errEmpty   = errors.New("the hook input is empty")
	errInvalid = errors.New("the hook input is not one JSON object in UTF-8")
)

// maxInput leaves room for the rest of the request on the wire.
const maxInput = wire.MaxLine - 64<<10

// usualInput is the initial size of the buffer for the input. In a fresh process,
// each further size of allocation costs two pages.
const usualInput = 8 << 10

// read reads the host's input and checks that it is of the hook's event.
func (h *hook) read(stdin io.Reader) error {
	in := bytes.NewBuffer(make([]byte, 0, usualInput))
	_, err := in.ReadFrom(io.LimitReader(stdin, maxInput+1))
	raw := bytes.TrimSpace(in.Bytes())
	switch {
	case err != nil:
		return fmt.Errorf("read hook input: %w", err)
	case len(raw) == 0:
		return errEmpty
	case len(raw) > maxInput:
		return fmt.Errorf("the hook input is larger than %d bytes", maxInput)
	}
	parsed, err := hostjson.Parse(string(raw), hostjson.MaxDepth)
	switch {
	case errors.Is(err, hostjson.ErrInvalid):
		return errInvalid
	case err != nil:
		return fmt.Errorf("the hook input %w", err)
	case !parsed.IsObject():
		return errInvalid
	}
	h.input, h.parsed = raw, parsed
	name := h.str(claude.FieldEvent)
	if name == "StopFailure" && h.event.name == "Stop" {
		name = "Stop" // the host sends it instead when the provider refused; the session is just as idle
	}
	if name != h.event.name {
		return fmt.Errorf("the hook input is of event %q, not %s", name, h.event.name)
	}
	if h.str(claude.FieldSession) == "" {
		return errors.New("the hook input names no session")
	}
	return nil
}

// locate finds the coordinator's home.
func (h *hook) locate() error {
	bin, err := home.Bin()
	if err != nil {
		return err
	}
	dirs, pinned, err := home.ForHook(bin, h.getenv)
	if err != nil {
		return err
	}
	h.pinned = pinned
	env := func() []string { return dirs.CoordinatorEnv(h.pinned, h.getenv) }
	h.client = &client.Client{Dirs: dirs, Bin: bin, Env: env, Remember: true}
	return nil
}

// get returns the value at a path of the host's input.
func (h *hook) get(path string) hostjson.Value { return h.parsed.Get(path) }

// str returns the string at a path of the host's input, "" if there is none.
func (h *hook) str(path string) string {
	return h.get(path).Str()
}

// off reports whether the person, the session or its project has switched Afar off. What a project asks
// for does not count where the person has decided so. The guard judges calls in any case.
func (h *hook) off() bool {
	if home.Marked(h.client.Dirs.PauseMark()) {
		return true
	}
	why := h.silenced()
	return why != "" && (why == ownSwitch || !home.Marked(h.client.Dirs.HeardMark(h.project())))
}

// switchOff is the variable that silences Afar. ownSwitch says that the person has set it, before the
// client started.
const (
	switchOff = "AFAR_DISABLED"
	ownSwitch = "the person's own " + switchOff
)

// silenced returns what silences Afar in this session, "" for nothing.
func (h *hook) silenced() string {
	if h.getenv(switchOff) == "1" {
		if h.startedWith(switchOff + "=1") {
			return ownSwitch
		}
		return switchOff + " in its settings"
	}
	for _, dir := range []string{h.getenv.Project(), h.str(claude.FieldCwd)} {
		if dir == "" {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, home.SwitchOff)); err == nil {
			return home.SwitchOff
		}
	}
	return ""
}

// startedWith reports whether the client had a variable when it started, before it read its settings.
// It returns true if the system does not tell.
func (h *hook) startedWith(variable string) bool {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(h.getenv.PID()), "environ"))
	return err != nil || bytes.Contains(append([]byte{0}, raw...), []byte("\x00"+variable+"\x00"))
}

// project returns the project of the session.
func (h *hook) project() string {
	if dir := h.getenv.Project(); dir != "" {
		return dir
	}
	return h.str(claude.FieldCwd)
}

// projectSilence returns what the project does to silence Afar, "" for nothing.
func (h *hook) projectSilence() string {
	if why := h.silenced(); why != ownSwitch {
		return why
	}
	return ""
}

// hookCall returns the part that all requests of this hook have in common.
func (h *hook) hookCall() wire.HookCall {
	return wire.HookCall{
		Payload:    h.input,
		Client:     h.getenv.PID(),
		Entrypoint: h.getenv.Entrypoint(),
		Attended:   h.getenv.Attended(),
		Background: h.getenv.Background(),
		Off:        h.off(),
		Silenced:   h.projectSilence(),
		Terminal:   h.terminal(),
		Project:    h.getenv.Project(),
		Redirected: h.redirected(),
	}
}

// redirected returns the variables that tried to move a pinned home.
func (h *hook) redirected() []string {
	if !h.pinned {
		return nil
	}
	return h.client.Dirs.Overruled(h.getenv)
}

// terminal returns a name for the client's terminal, with a prefix that says where
// the name comes from.
func (h *hook) terminal() string {
	for _, name := range []string{"WT_SESSION", "TERM_SESSION_ID", "ITERM_SESSION_ID"} {
		if v := h.getenv(name); v != "" {
			return strings.ToLower(name) + ":" + v
		}
	}
	client := strconv.Itoa(h.getenv.PID())
	tty, _ := os.Readlink("/proc/" + client + "/fd/0")
	if strings.HasPrefix(tty, "/dev/") && tty != "/dev/null" {
		return "tty:" + tty
	}
	return "pid:" + client
}

// The errors of a reply.
var (
	errRefused    = errors.New("the coordinator refused")        // it understood the call and said no
	errUnwritable = errors.New("the coordinator cannot write")   // it would carry out the call if it could
	errForeign    = errors.New("it does not speak our protocol") // another program listens there
)

// readReply reads a reply line into out, a pointer to the reply's type. It returns an error
// if the line is not a reply of the coordinator to such a call: then another program listens
// there.
func readReply(line []byte, out any) error {
	body, err := replyBody(line)
	if err != nil || !body.IsObject() { // a reply that says nothing may have no body
		return err
	}
	if err := hostjson.Decode(body, out); err != nil {
		return fmt.Errorf("%w: %w: %w", client.ErrUnreachable, errForeign, err)
	}
	return nil
}

func replyBody(line []byte) (body hostjson.Value, err error) {
	r, err := hostjson.Parse(string(line), hostjson.MaxDepth)
	code := r.Get("code")
	if err != nil || r.Get("v").Kind() != hostjson.Number || code.Kind() != hostjson.String {
		return body, fmt.Errorf("%w: %w", client.ErrUnreachable, errForeign)
	}
	switch why := r.Get("error").Str(); code.Str() {
	case wire.CodeOK:
		return r.Get("body"), nil
	case wire.CodeClosing:
		return body, fmt.Errorf("%w: it is shutting down", client.ErrUnreachable)
	case wire.CodeUnwritable:
		return body, fmt.Errorf("%w: %w: %s", errRefused, errUnwritable, why)
	default:
		return body, fmt.Errorf("%w: %s", errRefused, why)
	}
}

// call makes one call. It does not start a coordinator. Of a call that failed the reply
// says nothing.
func call[Request, Reply any](
	h *hook, op wire.Op[Request, Reply], in Request, within time.Duration,
) (Reply, error) {
	return exchange(h.client.Call, op, in, within)
}

// callStarting is like call, but starts the coordinator if none is running.
func callStarting[Request, Reply any](
	h *hook, op wire.Op[Request, Reply], in Request, within time.Duration,
) (Reply, error) {
	return exchange(h.client.CallStarting, op, in, within)
}

// exchange makes a call in a way of the client.
func exchange[Request, Reply any](
	way func(wire.Request, time.Time) ([]byte, error), op wire.Op[Request, Reply], in Request, within time.Duration,
) (out Reply, err error) {
	line, err := way(request(op, in), time.Now().Add(within))
	if err == nil {
		err = readReply(line, &out)
	}
	if err != nil {
		return *new(Reply), err
	}
	return out, nil
}

// request returns a request for op with the body in.
func request[Request, Reply any](op wire.Op[Request, Reply], in Request) wire.Request {
	return wire.Request{V: wire.Version, Op: string(op), Body: wire.Encode(in)}
}

// print prints the hook's output for the host. A receipt that is owed becomes due.
func (h *hook) print(o *wire.Object) error {
	h.printed = o.Bytes()
	if _, err := h.stdout.Write(append(h.printed, '\n')); err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	h.owed.markPrinted()
	return nil
}
