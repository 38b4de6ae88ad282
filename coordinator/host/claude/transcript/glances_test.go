package transcript

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestGlances: the cost of a session is known once its whole transcript was read, in parts,
// and follows what is appended. A call without a result is what the session does now.
func TestGlances(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	answer := func(id int) string {
		return fmt.Sprintf(
			`{"type":"assistant","message":{"id":"m%d","model":"claude-opus-5","usage":{"output_tokens":50000}}}`, id)
	}
	write := func(lines ...string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(strings.Join(lines, "\n") + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	long := strings.Repeat(strings.Repeat("x", 1<<10)+"\n", 3<<10)
	write(answer(1), long, answer(2), long, answer(3))
	var g Glances
	if got := g.Glance(path); got.Spent.USD != 0 {
		t.Errorf("a part was read, and the cost is %v", got.Spent)
	}
	g.Glance(path)
	if got := g.Glance(path); got.Spent.USD != 3 {
		t.Errorf("all is read, and the cost is %v; want 3", got.Spent)
	}
	write(answer(4), `{"type":"assistant","timestamp":"2026-03-04T12:00:00Z","message":{"content":[{"type":"tool_use",`+
		`"id":"t1","name":"Bash","input":{"command":"go test"}}]}}`)
	got := g.Glance(path)
	if got.Spent.USD != 4 || got.Doing == nil || got.Doing.Tool != "Bash" {
		t.Errorf("after one more answer: %v, doing %+v", got.Spent, got.Doing)
	}
	write(`{"type":"user","timestamp":"2026-03-04T12:00:03Z","message":{"content":[{"type":"tool_result",` +
		`"tool_use_id":"t1","is_error":true}]}}`)
	if got := g.Glance(path); got.Doing != nil {
		t.Errorf("the call has a result, and the session does %+v", got.Doing)
	}
	write(`{"type":"assistant","message":{"id":"m5","model":"<synthetic>","usage":{"output_tokens":0}}}`)
	if got := g.Glance(path); got.Model != "claude-opus-5" {
		t.Errorf("after an answer of the host itself the model is %q", got.Model)
	}
	steps := Steps(path, 10)
	if len(steps) != 1 || !steps[0].Failed || steps[0].Took.Seconds() != 3 {
		t.Errorf("steps %+v", steps)
	}
	if err := os.WriteFile(path, []byte(answer(9)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := g.Glance(path); got.Spent.USD != 1 {
		t.Errorf("another transcript costs %v; want 1", got.Spent)
	}
}

// TestSpent: what answers cost is booked in the ten minutes in which they came, also over
// several looks, and the parts of one answer count once.
func TestSpent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	var g Glances
	answer := func(id, at string) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fmt.Fprintf(f,
			`{"type":"assistant","timestamp":"2026-03-04T%s:00Z","message":{"id":%q,"model":"claude-opus-5",`+
				`"usage":{"output_tokens":50000}}}`+"\n", at, id)
	}
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	answer("a", "11:59")
	answer("b", "12:01")
	g.Glance(path)
	answer("b", "12:02")
	answer("c", "12:09")
	g.Glance(path)
	answer("d", "12:10")
	answer("e", "12:40")
	got := map[time.Time]float64{}
	for _, s := range g.Spent(path, noon) {
		got[s.At] = s.USD
	}
	want := map[time.Time]float64{noon: 2, noon.Add(10 * time.Minute): 1}
	if !maps.Equal(got, want) {
		t.Errorf("spent %v, want %v", got, want)
	}
	if missing := g.Spent(path+".none", noon); len(missing) > 0 {
		t.Errorf("a missing file: %v", missing)
	}
}
