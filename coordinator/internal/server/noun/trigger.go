package noun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Triggers is what the server needs for triggers.
type Triggers struct {
	Folder TriggerFolder
	Zones  trigger.Zones
	Files  bool // files can be watched on this system
	// Test returns what a rule would send for a payload and where, and why it would not.
	Test func(ctx context.Context, r trigger.Rule, p trigger.Payload) (to, text, why string)
}

// A TriggerFolder holds the files of the triggers and the secrets of webhooks.
type TriggerFolder interface {
	Path(trigger.Name) string
	List() ([]trigger.Name, error)
	Read(trigger.Name) (string, error)
	Create(name trigger.Name, text string) error
	Remove(trigger.Name) error
	NewSecret(trigger.Name, trigger.Auth) (string, error)
	HasSecret(trigger.Name) bool
}

// maxPayload bounds what a person gives a trigger, in bytes, as for a webhook.
const maxPayload = 1 << 20

func (s *Server) triggers(*door.Call, wire.None) (out wire.TriggersReply, err error) {
	names, err := s.cfg.Triggers.Folder.List()
	if err != nil {
		return out, err
	}
	for _, t := range s.cfg.Core.Triggers() {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return wire.TriggersReply{Triggers: wire.List(slices.Compact(names), s.wireTrigger)}, nil
}

func (s *Server) trigger(_ *door.Call, name trigger.Name) (out wire.Trigger, err error) {
	return s.wireTrigger(name), nil
}

// triggerNamed returns the name of a trigger that has a file, or that a person has approved.
func (s *Server) triggerNamed(typed string) (trigger.Name, error) {
	if err := trigger.CheckName(typed); err != nil {
		return "", door.BadRequest("%v", err)
	}
	name := trigger.Name(typed)
	_, known := s.cfg.Core.Trigger(name)
	if _, err := s.cfg.Triggers.Folder.Read(name); errors.Is(err, fs.ErrNotExist) && !known {
		return "", fmt.Errorf("trigger %q: %w", typed, core.ErrNotFound)
	}
	return name, nil
}

// ruleOf reads the file of a trigger.
func (s *Server) ruleOf(name trigger.Name) (text string, r trigger.Rule, err error) {
	path := s.cfg.Triggers.Folder.Path(name)
	if text, err = s.cfg.Triggers.Folder.Read(name); err != nil {
		return text, r, door.BadRequest("read %s: %v", path, err)
	}
	if r, err = trigger.Parse(string(name), text, s.cfg.Triggers.Zones); err != nil {
		return text, r, door.BadRequest("%s, %v", path, err)
	}
	return text, r, s.checkRule(r)
}

// checkRule returns an error if no run can be as a rule wants it.
func (s *Server) checkRule(r trigger.Rule) error {
	if r.When.Kind == trigger.File && !s.cfg.Triggers.Files {
		return door.BadRequest("triggers of files are not supported on Windows")
	}
	now := time.Now()
	if _, comes := r.When.Next(now, now); r.When.Kind == trigger.Once && !comes {
		return door.BadRequest("on: its time is past, so it would never fire")
	}
	if r.Escalate != "" {
		if _, _, err := s.addressee(r.Escalate); err != nil {
			return door.BadRequest("escalate: %v", err)
		}
	}
	if !r.To.New && !r.To.Keyed {
		if _, _, err := s.addressee(r.To.Text); err != nil {
			return door.BadRequest("to: %v", err)
		}
		return nil
	}
	_, err := s.TriggerRun(r, s.cfg.Place.Dirs.Workspace, strings.Repeat("A", runKey))
	return err
}

// runKey is the length of the key of a run.
const runKey = 26

// TriggerRun returns a run as a rule wants it, in a directory. The key names it.
func (s *Server) TriggerRun(r trigger.Rule, dir, key string) (run.Run, error) {
	return s.newRun(context.Background(), "", wire.RunStartRequest{
		ID: key, Agent: r.Agent, Mode: r.RunMode(), Model: r.Model, Dir: dir, BudgetUSD: r.Budget, Prompt: r.Prompt,
	}, "")
}

// triggerNew writes the rule of a person, and switches it on.
func (s *Server) triggerNew(c *door.Call, in wire.TriggerNewRequest) (out wire.Trigger, err error) {
	if err := trigger.CheckName(in.ID); err != nil {
		return out, door.BadRequest("%v", err)
	}
	file, err := newRule(in)
	if err != nil {
		return out, err
	}
	name := trigger.Name(in.ID)
	r, err := trigger.Parse(in.ID, file, s.cfg.Triggers.Zones)
	if err != nil {
		return out, door.BadRequest("%v", withoutLine(err))
	}
	if err := s.checkRule(r); err != nil {
		return out, err
	}
	if _, known := s.cfg.Core.Trigger(name); known {
		return out, door.BadRequest("trigger %s exists already", name)
	}
	if err := s.cfg.Triggers.Folder.Create(name, file); err != nil {
		return out, door.BadRequest("%v", err)
	}
	return s.approve(c, name, file, r)
}

// newRule returns the file of a new rule.
func newRule(in wire.TriggerNewRequest) (string, error) {
	fields := [][2]string{
		{"on", in.On}, {"to", in.To}, {"auth", in.Auth},
		{"missed", in.Missed}, {"grace", in.Grace}, {"filter", in.Filter}, {"check", in.Check}, {"until", in.Until},
		{"agent", in.Agent}, {"mode", in.Mode}, {"model", in.Model}, {"budget", in.Budget}, {"dir", in.Dir},
		{"limit", in.Limit}, {"escalate", in.Escalate},
	}
	for _, f := range fields {
		if strings.ContainsAny(f[1], "\r\n\x00") {
			return "", door.BadRequest("%s must be one line", f[0])
		}
	}
	if !utf8.ValidString(in.Prompt) || strings.TrimSpace(in.Prompt) == "" {
		return "", door.BadRequest("a trigger needs a text to send, and it must be UTF-8: --prompt TEXT")
	}
	return trigger.New(cmp.Or(text.Fold(in.Title), in.ID), fields, in.Prompt), nil
}

// withoutLine returns what an error says behind its line, for a rule that has no file yet.
func withoutLine(err error) string {
	said := err.Error()
	if _, rest, ok := strings.Cut(said, ": "); ok && strings.HasPrefix(said, "line ") {
		return rest
	}
	return said
}

// approve switches a trigger on with the text of its file. A webhook without a secret gets one.
func (s *Server) approve(c *door.Call, name trigger.Name, file string, r trigger.Rule) (out wire.Trigger, err error) {
	secret := ""
	if r.When.Kind == trigger.Webhook && !s.cfg.Triggers.Folder.HasSecret(name) {
		if secret, err = s.cfg.Triggers.Folder.NewSecret(name, r.Auth); err != nil {
			return out, err
		}
	}
	if _, err := s.cfg.Core.ApproveTrigger(name, file, c.Decider()); err != nil {
		return out, err
	}
	out = s.wireTrigger(name)
	out.Secret = c.Kept(secret)
	return out, nil
}

func (s *Server) triggerOn(c *door.Call, name trigger.Name) (out wire.Trigger, err error) {
	file, r, err := s.ruleOf(name)
	if err != nil {
		return out, err
	}
	return s.approve(c, name, file, r)
}

func (s *Server) triggerOff(c *door.Call, name trigger.Name) (out wire.Trigger, err error) {
	if _, known := s.cfg.Core.Trigger(name); !known {
		return out, door.BadRequest("trigger %s is only proposed; it is off", name)
	}
	_, err = s.cfg.Core.OffTrigger(name, c.Decider())
	return s.wireTrigger(name), err
}

func (s *Server) triggerRemove(c *door.Call, name trigger.Name) (out wire.None, err error) {
	if _, known := s.cfg.Core.Trigger(name); known {
		if _, err := s.cfg.Core.RemoveTrigger(name, c.Decider()); err != nil {
			return out, err
		}
	}
	return out, s.cfg.Triggers.Folder.Remove(name)
}

// triggerRotate makes a new secret for a webhook. The old one counts no more.
func (s *Server) triggerRotate(c *door.Call, name trigger.Name) (out wire.Trigger, err error) {
	_, r, err := s.ruleOf(name)
	switch {
	case err != nil:
		return out, err
	case r.When.Kind != trigger.Webhook:
		return out, door.BadRequest("trigger %s is no webhook; it has no secret", name)
	}
	secret, err := s.cfg.Triggers.Folder.NewSecret(name, r.Auth)
	if err != nil {
		return out, err
	}
	out = s.wireTrigger(name)
	out.Secret = c.Kept(secret)
	return out, s.cfg.Core.NoteTrigger(name, c.Decider()+" made a new secret")
}

// triggerFire makes a trigger fire now, also one that is off.
func (s *Server) triggerFire(c *door.Call, in wire.TriggerFireRequest) (out wire.Firing, err error) {
	name, err := s.triggerNamed(in.ID)
	if err != nil {
		return out, err
	}
	if err := checkPayload(in.Payload); err != nil {
		return out, err
	}
	if now := s.wireTrigger(name); now.State == wire.TriggerProposed || now.State == wire.TriggerBroken {
		return out, door.BadRequest("trigger %s is only proposed; read its file, then: afar trigger on %s", name, name)
	}
	f, _, wait, err := s.cfg.Core.Shoot(feature.Shot{
		Trigger: name,
		Key:     "fire " + cmp.Or(in.Key, random.UUID()),
		By:      c.Decider(),
		Payload: trigger.Payload{Text: in.Payload},
		Anyway:  true,
	})
	switch {
	case errors.Is(err, trigger.ErrLimit):
		return out, door.BadRequest("%v; try again in %s", err, wait.Round(time.Second))
	case errors.Is(err, trigger.ErrOff):
		return out, door.BadRequest("%v; afar trigger on %s", err, name)
	}
	return wireFiring(f), err
}

func checkPayload(payload string) error {
	if len(payload) > maxPayload || !utf8.ValidString(payload) {
		return door.BadRequest("a payload has at most %d bytes, and must be UTF-8", maxPayload)
	}
	return nil
}

// triggerTest says what a trigger would do with a payload. It sends nothing, and does not run a
// filter that no person has approved.
func (s *Server) triggerTest(c *door.Call, in wire.TriggerTestRequest) (out wire.TriggerTestReply, err error) {
	name, err := s.triggerNamed(in.ID)
	if err != nil {
		return out, err
	}
	if err := checkPayload(in.Payload); err != nil {
		return out, err
	}
	file, r, err := s.ruleOf(name)
	if err != nil {
		return out, err
	}
	t, _ := s.cfg.Core.Trigger(name)
	state, filtered := stateOf(t, file), r.Filter != ""
	if state == wire.TriggerProposed {
		r.Filter = ""
	}
	out.To, out.Text, out.Why = s.cfg.Triggers.Test(c.Ctx, r, trigger.Payload{Text: in.Payload})
	out.Why = cmp.Or(out.Why, whyQuiet(name, state, filtered))
	out.Fires = out.Why == ""
	return out, nil
}

// whyQuiet says why a trigger in a state does not fire, "" if it does.
func whyQuiet(name trigger.Name, state string, filtered bool) string {
	switch {
	case state == wire.TriggerOn:
		return ""
	case state == wire.TriggerProposed && filtered:
		return fmt.Sprintf("the trigger is proposed, so its filter was not run; "+
			"read its file, then: afar trigger on %s", name)
	}
	return fmt.Sprintf("the trigger is %s: afar trigger on %s", state, name)
}

// The lines of one reply about the ledger.
const (
	usualFirings = 50
	mostFirings  = 2000
)

func (s *Server) triggerLog(_ *door.Call, in wire.TriggerLogRequest) (out wire.TriggerLogReply, err error) {
	if in.ID != "" {
		if err := trigger.CheckName(in.ID); err != nil {
			return out, door.BadRequest("%v", err)
		}
	}
	most := min(cmp.Or(max(in.Last, 0), usualFirings), mostFirings)
	lines, err := s.cfg.Core.FiringLog(trigger.Name(in.ID), most)
	slices.Reverse(lines)
	return wire.TriggerLogReply{Firings: wire.List(lines, wireFiring)}, err
}

func wireFiring(f trigger.Firing) wire.Firing {
	return wire.Firing{
		ID:      string(f.ID),
		Trigger: string(f.Trigger),
		State:   string(f.State),
		At:      wire.Millis(f.At),
		DoneAt:  wire.Millis(f.DoneAt),
		Why:     f.Why,
		By:      f.By,
		Count:   f.Count,
		Bytes:   f.Bytes,
		To:      f.To,
		Message: f.Message,
	}
}

// wireTrigger returns a trigger as its file says, and what Afar keeps of it.
func (s *Server) wireTrigger(name trigger.Name) wire.Trigger {
	t, _ := s.cfg.Core.Trigger(name)
	w := wire.Trigger{
		ID:    string(name),
		Title: string(name),
		File:  s.cfg.Triggers.Folder.Path(name),
		By:    t.By,
		Held:  t.Held,
		Next:  wire.Millis(t.Next),
		Last:  wire.Millis(t.Last),
		Fired: t.Fired,
	}
	file, err := s.cfg.Triggers.Folder.Read(name)
	if err != nil {
		w.State, w.Fault = wire.TriggerBroken, err.Error()
		return w
	}
	r, err := trigger.Parse(string(name), file, s.cfg.Triggers.Zones)
	if err != nil {
		w.State, w.Fault = wire.TriggerBroken, err.Error()
		return w
	}
	w.State = stateOf(t, file)
	w.Title, w.On, w.To, w.Prompt = r.Title, r.When.Text, r.To.Text, r.Prompt
	w.Auth, w.Filter, w.Agent, w.Mode = string(r.Auth), r.Filter, r.Agent, r.RunMode()
	w.Model, w.Budget, w.Limit = r.Model, r.Budget, r.Limit
	if w.Check = r.Check; !r.Until.IsZero() {
		w.Until = r.Until.UnixMilli()
	}
	if r.When.Kind.Timed() {
		w.Missed = string(r.Missed)
	}
	if r.When.Kind == trigger.Webhook {
		w.Hook = "/hook/" + string(name)
	}
	return w
}

// triggerStates are the words for the states of a trigger, by approved.State.
var triggerStates = [...]string{wire.TriggerProposed, wire.TriggerOn, wire.TriggerOff, wire.TriggerBroken}

// stateOf returns the state of a trigger whose file has a text.
func stateOf(t trigger.Trigger, file string) string {
	if !t.Known() {
		return wire.TriggerProposed
	}
	return triggerStates[t.State(trigger.Hash(file), nil)]
}
