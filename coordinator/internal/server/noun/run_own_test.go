package noun

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// TestStartsLater: a turn whose agent cannot start yet says why, and when it starts.
func TestStartsLater(t *testing.T) {
	began := time.Now().Truncate(time.Minute).Add(time.Hour + 17*time.Second)
	s := newOwnRig(t)
	s.cfg.Runs.Agent = func(name string) (agents.Settings, error) {
		return agents.Settings{Protocol: "acp", Command: []string{"/bin/" + name}}, nil
	}
	starting := run.Run{
		State:        run.Starting,
		Agent:        "gemini",
		Mode:         run.Manual,
		Conversation: "11111111-2222-4333-8444-555555555555",
		Thread:       "t",
		ThreadAt:     began,
		Turn:         run.Turn{Resumes: true},
	}
	at := began.Add(43 * time.Second).Format("15:04")
	for name, c := range map[string]struct {
		change func(*run.Run)
		want   string
	}{
		"in the minute in which it began": {func(*run.Run) {},
			"would lose a conversation that it continues in the minute in " +
				"which it began it, so the turn starts at " + at},
		"later":         {func(r *run.Run) { r.ThreadAt = began.Add(-2 * time.Hour) }, ""},
		"its first one": {func(r *run.Run) { r.Turn.Resumes = false }, ""},
		"it works":      {func(r *run.Run) { r.State = run.Working }, ""},
		"it failed":     {func(r *run.Run) { r.State, r.Why = run.Failed, "no key" }, "no key"},
		"another agent": {func(r *run.Run) { r.Agent = "opencode" }, ""},
	} {
		r := starting
		c.change(&r)
		if got := s.wireRun(r).Why; !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestTriggerRunMode: a run that something outside starts is in manual mode, unless its rule says
// otherwise.
func TestTriggerRunMode(t *testing.T) {
	s := newOwnRig(t)
	s.cfg.Runs.Mode = run.Auto
	s.cfg.Runs.Agent = func(name string) (agents.Settings, error) {
		return agents.Settings{Protocol: "claude", Command: []string{"claude"}}, nil
	}
	for _, c := range []struct{ on, mode, want string }{
		{"webhook", "", run.Manual},
		{"file src/*.md", "", run.Manual},
		{"webhook", run.AcceptEdits, run.AcceptEdits},
		{"cron 0 8 * * *", "", run.Auto},
		{"manual", run.Plan, run.Plan},
	} {
		rule := "# X\n\n- on: " + c.on + "\n- to: run\n"
		if strings.HasPrefix(c.on, "webhook") {
			rule += "- auth: standard\n"
		}
		if c.mode != "" {
			rule += "- mode: " + c.mode + "\n"
		}
		r, err := trigger.Parse("x", rule+"\nGo.\n", time.LoadLocation)
		if err != nil {
			t.Fatalf("%s: %v", rule, err)
		}
		made, err := s.TriggerRun(r, t.TempDir(), strings.Repeat("A", 26))
		if err != nil || made.Mode != c.want {
			t.Errorf("%s: mode %q, %v; want %q", rule, made.Mode, err, c.want)
		}
	}
}

// TestTriggersNotSupported: where no files can be watched, a trigger of files says so.
func TestTriggersNotSupported(t *testing.T) {
	r, err := trigger.Parse("x", "# X\n\n- on: file src/*.md\n- to: person\n\nGo.\n", time.LoadLocation)
	if err != nil {
		t.Fatal(err)
	}
	s := newOwnRig(t) // its settings of triggers are those of Windows
	if err := s.checkRule(r); err == nil || !strings.Contains(err.Error(), "files are not supported on Windows") {
		t.Errorf("without: %v", err)
	}
	s.cfg.Triggers.Files = true
	if err := s.checkRule(r); err != nil {
		t.Errorf("where they are: %v", err)
	}
}
