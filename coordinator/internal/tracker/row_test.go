package tracker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// FuzzRows checks that each issue of a tool is refused or valid: an id that cannot leave
// a directory, a title of one line, a known status.
func FuzzRows(f *testing.F) {
	f.Add(
		[]byte(
			`{"issue":{"id":"acme-1","title":"x","status":"open","priority":2},` +
				`"comments":[{"body":"y","created_at":1}],` +
				`"deps":[{"src_id":"a","dst_id":"acme-1","kind":"blocks"}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"id":"bd-1.2","title":"x\u0000\n","status":"custom","priority":-7,"labels":["duplicate"],` +
				`"dependencies":[{"id":"../x","dependency_type":"blocks"}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"number":12,"title":"x","state":"CLOSED","body":"Needs: #1,#99999999999999999999 #x",` +
				`"labels":[{"name":"P9"},{"name":"duplicate"}]}`,
		),
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		checked := func(i Issue, err error) (Issue, error) {
			if err != nil {
				return i, err
			}
			return outside{}.checked(i)
		}
		var tissueRow tissueShown
		if json.Unmarshal(raw, &tissueRow) == nil {
			wantSane(t, raw)(checked(tissueRow.issue(), nil))
		}
		var bdRow bdIssue
		if json.Unmarshal(raw, &bdRow) == nil {
			wantSane(t, raw)(checked(bdRow.issue(), nil))
		}
		var ghRow ghIssue
		if json.Unmarshal(raw, &ghRow) == nil {
			wantSane(t, raw)(checked(ghRow.issue()))
		}
	})
}

// FuzzReply checks that each reply of a program is an error of it, or gives issues that are valid.
func FuzzReply(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "null", "[]", `{"issues":null}`, `{"issues":[]}`, `{"v":1,"op":"list"}`,
		`{"issues":[{"id":"a-1","title":"x","status":"open","priority":2,"needs":["a-2"],"waits":[],` +
			`"created":"2026-11-21T22:43:05Z","comments":[{"at":"2026-11-22T08:10:00Z","text":"y"}]}]}`,
		`{"issues":[{"id":"../x"}]}`, `{"issues":[{"id":"a","status":"lost"}]}`, `{"issues":[{"id":1}]}`,
		`{"issues":[{"id":"a","title":"\u001b[31mx\n","status":"open","priority":-9,"needs":["a","--help",""]}]}`,
		`{"issues":[{"id":"a","created":"yesterday"}]}`, `{"error":"x\u0000y","code":"not_found"}`,
		`{"code":"ambiguous"}`, `{"error":"busy","issues":[]}`, `{"issues":[]} {"issues":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		speak := func(context.Context, request) ([]Issue, error) { return parseReply("x", raw) }
		o := outside{"x", answers{opList: speak, opShow: speak, opReady: speak, opNew: speak, opSet: speak}}
		all, err := o.List(t.Context())
		if err == nil && !json.Valid(raw) {
			t.Errorf("%q was accepted", raw)
		}
		for _, i := range all {
			wantSane(t, raw)(i, err)
		}
		wantSane(t, raw)(o.Show(t.Context(), "a"))
		wantSane(t, raw)(o.New(t.Context(), Draft{Title: "x", Needs: []string{"a"}}))
		_ = o.Set(t.Context(), "a", StatusClosed, "note")
	})
}

// TestReply checks the errors in the replies of a program.
func TestReply(t *testing.T) {
	for text, want := range map[string]error{
		`{"code":"not_found"}`:                        ErrNotFound,
		`{"code":"ambiguous","error":"x"}`:            errAmbiguous,
		`{"code":"unsupported","issues":[]}`:          errUnsupported,
		`{"error":"the database is busy","code":"x"}`: toolError{"p list", "the database is busy"},
		`{"issues":[]}`:                               nil,
	} {
		issues, err := parseReply("p list", []byte(text))
		if !errors.Is(err, want) || (err == nil) != (issues != nil) {
			t.Errorf("%s is %v, %v", text, issues, err)
		}
	}
	var did []op
	o := outside{"p", answers{opList: func(context.Context, request) ([]Issue, error) {
		did = append(did, opList)
		return []Issue{{ID: "a", Status: StatusOpen}, {ID: "b", Status: StatusOpen, Needs: []string{"a"}}}, nil
	}}}
	if got, err := o.Ready(t.Context()); err != nil || len(got) != 1 || got[0].ID != "a" || len(did) != 1 {
		t.Errorf("without the request ready: %+v, %v", got, err)
	}
}

// TestManyNeeds checks that the issues of a program take no longer than their number, whatever they need.
func TestManyNeeds(t *testing.T) {
	var all []Issue
	for n := range 30_000 {
		all = append(all, Issue{
			ID: fmt.Sprint("a", n), Status: StatusOpen, Needs: []string{"a0", fmt.Sprint("b", n), fmt.Sprint("a", n+1)},
		})
	}
	for n := range 30_000 {
		all[0].Needs = append(all[0].Needs, fmt.Sprint("a", n))
	}
	begun := time.Now()
	settle(all)
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if all[1].Broken != "needs b1: no such issue" || len(all[1].Waits) != 3 || !strings.Contains(all[0].Broken, "b0") {
		t.Errorf("%q waits for %d", all[1].Broken, len(all[1].Waits))
	}
}

func wantSane(t *testing.T, raw []byte) func(Issue, error) {
	return func(i Issue, err error) {
		t.Helper()
		if err != nil {
			return
		}
		title, bad := titleOf(i.Title + "x")
		if checkID(i.ID) != nil || i.Status.check() != nil || i.Priority < firstPriority || i.Priority > lastPriority ||
			bad == nil && title != i.Title+"x" {
			t.Errorf("%q became %+v", raw, i)
		}
		all := []Issue{i, {ID: "other", Needs: []string{i.ID}}}
		settle(all)
		ready(all)
	}
}
