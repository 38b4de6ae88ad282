package tracker

import (
	"encoding/json"
	"testing"
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
		var tissueRow tissueShown
		if json.Unmarshal(raw, &tissueRow) == nil {
			wantSane(t, raw)(tissue{}.issue(tissueRow))
		}
		var bdRow bdIssue
		if json.Unmarshal(raw, &bdRow) == nil {
			wantSane(t, raw)(beads{}.issue(bdRow))
		}
		var ghRow ghIssue
		if json.Unmarshal(raw, &ghRow) == nil {
			wantSane(t, raw)(github{}.issue(ghRow))
		}
	})
}

func wantSane(t *testing.T, raw []byte) func(Issue, error) {
	return func(i Issue, err error) {
		t.Helper()
		if err != nil {
			return
		}
		title, bad := titleOf(i.Title + "x")
		if checkID(i.ID) != nil || i.Status.check() != nil || i.Priority < FirstPriority || i.Priority > LastPriority ||
			bad == nil && title != i.Title+"x" {
			t.Errorf("%q became %+v", raw, i)
		}
		all := []Issue{i, {ID: "other", Needs: []string{i.ID}}}
		settle(all)
		ready(all)
	}
}
