package tracker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/text"
)

// The protocol of programs that keep issues. The program runs once for each request. It reads the
// request from stdin and prints one reply, both JSON. docs/issues.md describes it for people who
// write such a program. tissue, bd and gh have adapters here that answer the same requests.

// version is the version of the protocol.
const version = 1

// An op says what a request asks for.
type op string

const (
	opList  op = "list"  // the issues, at least those that are not over and those that they need
	opReady op = "ready" // the issues that can be worked on; without it, they are worked out from opList
	opShow  op = "show"  // the issue ID, which may be the beginning of an id
	opNew   op = "new"   // create an issue from Title, Body, Priority and Needs; only its id is read from the reply
	opSet   op = "set"   // add Note to the issue ID, then give it Status; either may be empty
)

// A request is what is asked of the program.
type request struct {
	V        int      `json:"v"`
	Op       op       `json:"op"`
	ID       string   `json:"id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Body     string   `json:"body,omitempty"`
	Priority int      `json:"priority,omitempty"` // 0 is the default of the program
	Needs    []string `json:"needs,omitempty"`    // whole ids
	Note     string   `json:"note,omitempty"`
	Status   Status   `json:"status,omitempty"`
	Was      Status   `json:"was,omitempty"` // the status before opSet
}

// A reply holds the issues that were asked for, or says why there are none.
type reply struct {
	Issues []Issue `json:"issues"`
	Error  string  `json:"error"`
	Code   string  `json:"code"` // not_found, ambiguous, unsupported, or "" for any other error
}

// errUnsupported says that a program does not know an op.
var errUnsupported = errors.New("it does not know this request")

// parseReply returns the issues of a reply to what did names, or the error that it holds.
func parseReply(did string, raw []byte) ([]Issue, error) {
	var r reply
	err := json.Unmarshal(raw, &r)
	switch {
	case err == nil && r.Code == "not_found":
		return nil, ErrNotFound
	case err == nil && r.Code == "ambiguous":
		return nil, errAmbiguous
	case err == nil && r.Code == "unsupported":
		return nil, errUnsupported
	case err == nil && r.Error != "":
		return nil, toolError{did, failureText(r.Error, errors.New(r.Code))}
	case err == nil && r.Issues == nil:
		err = errors.New("neither issues nor an error")
	}
	if err != nil {
		return nil, otherJSON(did, err, string(raw))
	}
	return r.Issues, nil
}

// programTool returns a program of the person that speaks the protocol itself.
func programTool(path string) tool {
	return tool{program: path, timeout: 2 * toolTime, install: "install it, or set issues.tracker in config.toml"}
}

func (t tool) answers() answers {
	return answers{opList: t.speak, opReady: t.speak, opShow: t.speak, opNew: t.speak, opSet: t.speak}
}

// speak has a program that speaks the protocol answer a request.
func (t tool) speak(ctx context.Context, q request) ([]Issue, error) {
	q.V = version
	in, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, string(in)+"\n")
	if err != nil {
		return nil, err
	}
	return parseReply(t.program+" "+string(q.Op), []byte(out))
}

// An outside is a tracker whose issues a program keeps. The program, or the adapter of a tool,
// answers requests.
type outside struct {
	name    string
	answers answers
}

type answers map[op]func(context.Context, request) ([]Issue, error)

func (o outside) ask(ctx context.Context, q request) ([]Issue, error) {
	answer, ok := o.answers[q.Op]
	if !ok {
		return nil, errUnsupported
	}
	return answer(ctx, q)
}

func (o outside) Name() string { return o.name }

func (o outside) List(ctx context.Context) ([]Issue, error) {
	all, err := o.all(ctx)
	return notOver(all), err
}

// all returns all issues of the program, with what they wait for.
func (o outside) all(ctx context.Context) ([]Issue, error) {
	all, err := o.issues(ctx, opList)
	settle(all)
	return all, err
}

func (o outside) Ready(ctx context.Context) ([]Issue, error) {
	out, err := o.issues(ctx, opReady)
	if errors.Is(err, errUnsupported) {
		out, err = o.all(ctx)
	}
	return ready(out), err
}

// issues returns the issues of a list.
func (o outside) issues(ctx context.Context, what op) ([]Issue, error) {
	all, err := o.ask(ctx, request{Op: what})
	for n := range all {
		if err == nil {
			all[n], err = o.checked(all[n])
		}
	}
	return all, err
}

func (o outside) Show(ctx context.Context, id string) (Issue, error) {
	i, err := o.find(ctx, id)
	if err != nil || len(i.Needs) == 0 || i.Waits != nil {
		return i, err
	}
	all, err := o.all(ctx)
	if n := slices.IndexFunc(all, func(other Issue) bool { return other.ID == i.ID }); n >= 0 {
		i.Waits, i.Broken = all[n].Waits, all[n].Broken
	}
	return i, err
}

// find returns the issue with an id or with the beginning of one. It may not know what the issue waits
// for. No program sees an id that could be a flag or a path.
func (o outside) find(ctx context.Context, id string) (Issue, error) {
	i, err := Issue{}, ErrNotFound
	if given := strings.TrimPrefix(id, "#"); checkID(given) == nil {
		i, err = o.one(ctx, request{Op: opShow, ID: given})
	}
	if errors.Is(err, ErrNotFound) || errors.Is(err, errAmbiguous) {
		return i, fmt.Errorf("%w: %q", err, markdown.Shorten(id))
	}
	if err != nil {
		return i, err
	}
	return o.checked(i)
}

// one returns the only issue of a reply.
func (o outside) one(ctx context.Context, q request) (Issue, error) {
	all, err := o.ask(ctx, q)
	if err != nil {
		return Issue{}, err
	}
	if len(all) != 1 {
		return Issue{}, toolError{o.name + " " + string(q.Op), fmt.Sprintf("%d issues instead of one", len(all))}
	}
	return all[0], nil
}

// checked returns the issue with its comments in the text, and its title and priority made valid. An
// invalid id or status is an error, because ids name directories and branches.
func (o outside) checked(i Issue) (Issue, error) {
	i.Title = text.Fold(asText(i.Title))
	i.Body = joinComments(i.Body, i.Comments)
	i.Priority = clampPriority(i.Priority)
	if err := cmp.Or(checkID(i.ID), i.Status.check()); err != nil {
		return i, toolError{o.name, err.Error()}
	}
	return i, nil
}

// New creates the issue together with its needs. If the program lost a need, New pauses the issue,
// which must not be worked on without all its needs.
func (o outside) New(ctx context.Context, d Draft) (Issue, error) {
	d, err := d.checked()
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	for n, id := range d.Needs {
		need, err := o.find(ctx, id)
		if err != nil {
			return Issue{}, err
		}
		d.Needs[n] = need.ID
	}
	made, err := o.one(ctx, request{Op: opNew, Title: d.Title, Body: d.Body, Priority: d.Priority, Needs: d.Needs})
	if err != nil {
		return Issue{}, err
	}
	i, err := o.Show(ctx, made.ID)
	if err != nil {
		return Issue{}, err
	}
	for _, need := range d.Needs {
		if !slices.Contains(i.Needs, need) {
			paused := o.Set(ctx, i.ID, StatusPaused, "Not all that this needs could be noted.")
			return i, errors.Join(fmt.Errorf("issue %s was made, but not that it needs %s", i.ID, need), paused)
		}
	}
	return i, nil
}

func (o outside) Set(ctx context.Context, id string, s Status, note string) error {
	if err := s.check(); err != nil {
		return err
	}
	i, err := o.find(ctx, id)
	if err != nil {
		return err
	}
	q := request{Op: opSet, ID: i.ID, Was: i.Status}
	if note = asNote(note); !endsWithNote(i.Comments, note) {
		q.Note = note
	}
	if i.Status != s {
		q.Status = s
	}
	if q.Note == "" && q.Status == "" {
		return nil
	}
	_, err = o.ask(ctx, q)
	return err
}
