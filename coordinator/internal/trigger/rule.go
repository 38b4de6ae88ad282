// Package trigger says what a rule of the folder triggers is, when it is due, and what it
// sends. A rule is a markdown file, which a person may edit at any time. The package is
// pure: the caller stores each returned value durably before it acts on it.
package trigger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// A Rule is what a file of the folder triggers says.
type Rule struct {
	Name   string
	Title  string
	When   When
	To     To
	Auth   Auth
	Missed Missed
	Grace  time.Duration // how late an instant may be and count as in time
	Filter string        // a command that gets the payload; "" for none
	Check  string        // a command that must exit with 0 for the rule to fire, once; "" for none
	Until  time.Time     // from then on the check is run no more, zero for no such time
	Agent  string        // of the runs that the rule starts, and so are the next four
	Mode   string        // "" for the usual one
	Model  string
	Budget float64
	Dir    string // "" for a folder of the rule's own
	Limit  int    // firings per minute
	// Escalate is the address of the session, run or task that the runs of the rule may write to, "" for none.
	Escalate string
	Prompt   string
}

// An Auth says how a webhook proves where it comes from.
type Auth string

// The ways of a webhook's proof.
const (
	Standard Auth = "standard" // Standard Webhooks: a signature of id, time and body
	GitHub   Auth = "github"   // a signature of the body, as GitHub makes it
	Header   Auth = "header"   // the secret itself, in a header
)

// auths lists the ways of a webhook's proof.
func auths() []string { return []string{string(Standard), string(GitHub), string(Header)} }

// A Missed says what happens to the instants that passed while nothing ran.
type Missed string

// The policies for missed instants.
const (
	RunOnce Missed = "run"  // one firing stands for all of them
	Skip    Missed = "skip" // none fires
	Each    Missed = "each" // all of them fire
	Ask     Missed = "ask"  // none fires, unless the person says so when asked
)

func missedPolicies() []string {
	return []string{string(RunOnce), string(Skip), string(Each), string(Ask)}
}

// Defaults of a rule, and its bounds.
const (
	usualGrace = 5 * time.Minute
	usualLimit = 10
	maxLimit   = 100_000
	maxBudget  = 1e6
	MaxBytes   = 256 << 10 // of a file
)

var form = markdown.Form{
	Noun: "a trigger",
	Fields: []string{
		"on", "to", "auth", "missed", "grace", "filter", "check", "until", "agent", "mode", "model", "budget",
		"dir", "limit", "escalate",
	},
	MaxBytes: MaxBytes,
}

// CheckName returns an error if no trigger can have this name. A name is safe as that of a
// file.
func CheckName(name string) error {
	if !run.IsName(name) {
		return fmt.Errorf("unknown form of trigger %.60q; want 1 to 40 letters a-z, digits and dashes", name)
	}
	return nil
}

// Hash returns the hash of a file, by which a person's approval names it.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Parse reads the file of a rule. An error names its line.
func Parse(name, text string, zones Zones) (r Rule, err error) {
	d, err := form.Parse(text)
	if err != nil {
		return r, err
	}
	r = Rule{Name: name, Title: d.Title, Prompt: d.Body(), Grace: usualGrace, Limit: usualLimit}
	for _, f := range d.Fields {
		if err := r.read(f, zones); err != nil {
			return r, markdown.Errorf(f.Line, "%s: %v", f.Name, err)
		}
	}
	if f, err := r.check(d); err != nil {
		return r, markdown.Errorf(max(1, f.Line), "%v", err)
	}
	if r.Missed == "" {
		r.Missed = Skip
		if r.When.oncePerDay() {
			r.Missed = RunOnce
		}
	}
	return r, nil
}

// read reads one field.
func (r *Rule) read(f markdown.Field, zones Zones) (err error) {
	switch f.Name {
	case "on":
		r.When, err = ParseWhen(f.Value, zones)
	case "to":
		r.To, err = parseTo(f.Value)
	case "auth":
		r.Auth, err = oneOf(Auth(f.Value), auths())
	case "missed":
		r.Missed, err = oneOf(Missed(f.Value), missedPolicies())
	case "grace":
		r.Grace, err = graceOf(f.Value)
	case "filter":
		r.Filter, err = filled(f.Value)
	case "check":
		r.Check, err = filled(f.Value)
	case "until":
		r.Until, err = untilOf(f.Value, zones)
	case "agent":
		r.Agent, err = filled(f.Value)
	case "mode":
		r.Mode, err = oneOf(f.Value, run.Modes())
	case "model":
		r.Model, err = filled(f.Value)
	case "budget":
		r.Budget, err = budgetOf(f.Value)
	case "dir":
		r.Dir, err = dirOf(f.Value)
	case "limit":
		r.Limit, err = limitOf(f.Value)
	case "escalate":
		r.Escalate, err = escalateOf(f.Value)
	}
	return err
}

func oneOf[S ~string](value S, of []string) (S, error) {
	if !slices.Contains(of, string(value)) {
		return "", fmt.Errorf("unknown value %q; want one of %s", markdown.Shorten(string(value)),
			strings.Join(of, ", "))
	}
	return value, nil
}

func filled(value string) (string, error) {
	if value == "" {
		return "", errors.New("the value is empty; leave the line out")
	}
	return value, nil
}

func graceOf(value string) (time.Duration, error) {
	d, err := duration(value)
	if err != nil || d < leastEvery || d > mostEvery {
		return 0, fmt.Errorf("unknown length of time %q; want one of a second or more, such as 5m or 2h",
			markdown.Shorten(value))
	}
	return d, nil
}

func untilOf(value string, zones Zones) (time.Time, error) {
	var w When
	if err := w.readOnce(strings.Fields(value), zones); err != nil {
		return time.Time{}, fmt.Errorf("unknown time %q; want YYYY-MM-DD HH:MM and perhaps a time zone",
			markdown.Shorten(value))
	}
	return w.onWall(w.wall).At, nil
}

func budgetOf(value string) (float64, error) {
	usd, err := strconv.ParseFloat(strings.TrimPrefix(value, "$"), 64)
	if err != nil || !(usd > 0 && usd <= maxBudget) {
		return 0, fmt.Errorf("unknown amount %q; want US dollars, such as 2.50", markdown.Shorten(value))
	}
	return usd, nil
}

func dirOf(value string) (string, error) {
	if !path.IsAbs(value) && !strings.HasPrefix(value, "~/") {
		return "", fmt.Errorf("%q is no absolute path; want one that begins with / or ~/", markdown.Shorten(value))
	}
	return value, nil
}

func limitOf(value string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > maxLimit {
		return 0, fmt.Errorf("unknown number %q; want firings per minute, 1 to %d", markdown.Shorten(value), maxLimit)
	}
	return n, nil
}

func escalateOf(value string) (string, error) {
	to, err := message.ParseAddress(value)
	if err != nil || !slices.Contains([]message.Kind{message.ToSession, message.ToRun, message.ToTask}, to.Kind) {
		return "", fmt.Errorf("unknown address %q; want session:TOKEN, run:NAME or task:SLUG", markdown.Shorten(value))
	}
	return to.String(), nil
}

// check returns the field that does not fit the others, zero for one that is missing.
func (r *Rule) check(d markdown.Document) (markdown.Field, error) {
	if err := r.lacks(d); err != nil {
		return markdown.Field{}, err
	}
	if f, err := r.misfit(d); err != nil {
		return f, err
	}
	if r.Prompt == "" {
		return markdown.Field{}, errors.New("the text to send is missing; write it below the list, after a blank line")
	}
	return markdown.Field{}, nil
}

// lacks says which field of the rule is missing.
func (r *Rule) lacks(d markdown.Document) error {
	has := func(name string) bool {
		_, ok := d.Field(name)
		return ok
	}
	switch {
	case !has("on"):
		return errors.New("the line \"- on: …\" is missing; want " + forms)
	case !has("to"):
		return errors.New("the line \"- to: …\" is missing; want " + toForms)
	case r.When.Kind == Webhook && !has("auth"):
		return fmt.Errorf("a webhook needs its authentication (--auth, or a line \"- auth: …\"): one of %s",
			strings.Join(auths(), ", "))
	}
	return nil
}

// misfit returns the field that does not go with the others.
func (r *Rule) misfit(d markdown.Document) (f markdown.Field, err error) {
	has := func(name string) (ok bool) {
		f, ok = d.Field(name)
		return ok
	}
	switch {
	case r.When.Kind != Webhook && has("auth"):
		return f, errors.New("auth is for a webhook alone")
	case !r.When.Kind.Timed() && (has("missed") || has("grace")):
		return f, fmt.Errorf("%s is for cron, once and every alone", f.Name)
	case has("check") && r.When.Kind != Cron && r.When.Kind != Every:
		return f, errors.New("check is for cron and every alone")
	case has("check") && r.Filter != "":
		return f, errors.New("a rule has a check or a filter, not both")
	case has("escalate") && !r.To.New && !r.To.Keyed:
		return f, errors.New("escalate is for a rule that starts runs: to: run, or run:{{payload.FIELD}}")
	case has("until") && r.Check == "":
		return f, errors.New("until is for a rule with a check alone")
	}
	return markdown.Field{}, nil
}

// RunMode returns the permission mode of a run that the rule starts, "" for the usual one. What
// a webhook or a file brings comes from outside.
func (r Rule) RunMode() string {
	if r.When.Kind == Webhook || r.When.Kind == File {
		return cmp.Or(r.Mode, run.Manual)
	}
	return r.Mode
}

// A To says where the texts of a rule go.
type To struct {
	Text    string          // as the file writes it
	Address message.Address // for a run of the rule: the kind alone
	New     bool            // a new run each time
	Keyed   bool            // one run for each value of a field of the payload
	Path    string          // the path of this field, "" for the whole payload
}

const toForms = "run, run:NAME, run:{{payload.FIELD}}, session:TOKEN, task:SLUG, triage or person"

// keyed is how an address names a run by the payload.
var keyed = regexp.MustCompile(`^run:\{\{ *payload((?:\.[A-Za-z0-9_-]+)*) *\}\}$`)

// parseTo reads the value of "to".
func parseTo(text string) (to To, err error) {
	to = To{Text: text, Address: message.Address{Kind: message.ToRun}}
	if text == string(message.ToRun) {
		to.New = true
		return to, nil
	}
	if m := keyed.FindStringSubmatch(text); m != nil {
		to.Keyed, to.Path = true, strings.TrimPrefix(m[1], ".")
		return to, nil
	}
	if strings.Contains(text, "{{") {
		return to, fmt.Errorf("unknown address %.60q; a payload names nothing but the key of a run: "+
			"run:{{payload.FIELD}}", text)
	}
	if to.Address, err = message.ParseAddress(text); err != nil {
		return to, fmt.Errorf("unknown address %.60q; want %s", text, toForms)
	}
	return to, nil
}

// plainKey is a key that names a run as it is.
var plainKey = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)

// RunName returns the name of the run that an address of the rule means for a payload. It lies
// inside the rule, so it never names another run.
func (r Rule) RunName(p Payload) string {
	if !r.To.Keyed {
		return r.To.Address.Name
	}
	key, _ := p.Field(r.To.Path)
	switch {
	case key == "":
		key = "_default"
	case !plainKey.MatchString(key):
		key = "_" + Hash(key)[:20] // no plain key begins like this
	}
	return r.Name + "/" + key
}

// New returns the text of a new file.
func New(title string, fields [][2]string, prompt string) string {
	var b strings.Builder
	b.WriteString("# " + title + "\n\n")
	for _, f := range fields {
		if f[1] != "" {
			b.WriteString("- " + f[0] + ": " + f[1] + "\n")
		}
	}
	return b.String() + "\n" + strings.TrimSpace(prompt) + "\n"
}
