package hook

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/standin/calls"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// TestEveryCaseInTheServer checks that the server judges each case as the hook does. Where time matters, it takes one
// of ten: both ask the same guard, and only what they tell it could differ.
func TestEveryCaseInTheServer(t *testing.T) {
	cases, err := calls.All()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"HOME": root, "AFAR_HOME": filepath.Join(root, "afar")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	project, bin := filepath.Join(root, "proj"), filepath.Join(root, "bin")
	s := &Server{cfg: Config{Place: workplace.Reader{Dirs: dirs, Bin: bin}, Log: slog.New(slog.DiscardHandler)}}
	for i, c := range cases {
		if i%10 > 0 && !long.RunsInCI() {
			continue
		}
		call, err := guard.ReadCall(c.Tool, c.Input)
		if err != nil {
			t.Fatalf("%s: %v", c.Where, err)
		}
		err = c.At(project, func() {
			v := seen(t, s, payload{Tool: c.Tool, Input: []byte(c.Input), Cwd: project})
			want := guard.Judge(call, callsite.Context(dirs, bin, project, project)).Verdict
			if v.Decision.Verdict != want || v.Input.Tool != c.Tool {
				t.Errorf("%s: %s %s: %q, want %q", c.Where, c.Tool, c.Input, v.Decision.Verdict, want)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestAmbiguousInputIsNotSeen checks that an input that two readers understand differently is
// not explained and not covered by any grant.
func TestAmbiguousInputIsNotSeen(t *testing.T) {
	s := &Server{cfg: Config{Log: slog.New(slog.DiscardHandler)}}
	v := seen(t, s, payload{Tool: "Bash", Input: []byte(`{"command":"rm -rf x","command":"ls"}`), Cwd: "/p"})
	if v.Input.Tool != "" || len(v.Need.Commands) > 0 {
		t.Errorf("%+v", v)
	}
}

// seen returns the call of a payload as the server sees it, in a project at its cwd.
func seen(t *testing.T, s *Server, p payload) toolcall.Call {
	t.Helper()
	in, err := toolInput(p)
	if err != nil {
		t.Fatal(err)
	}
	return s.see(p.Cwd, p, in)
}
