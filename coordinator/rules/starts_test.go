package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// marked are the files that start programs with a birthmark: the first two for all others, the
// rest by birthmark.Mark.
var marked = []string{
	"coordinator/internal/child/child.go", "coordinator/birthmark/birthmark_linux.go",
	"coordinator/agentrun/agent_unix.go", "coordinator/callsite/archive.go", "coordinator/callsite/git.go",
	"hooks/check.go",
}

// unmarked are the other files that start programs, and why these programs need no birthmark.
var unmarked = map[string]string{
	"cmd/afar/cmd_installservice.go": "the person runs it: the system's service manager",
	"cmd/afar/cmd_open.go":           "the person runs it: their browser",
	"cmd/afar/cmd_update.go":         "the person runs it: git and install.sh of Afar's own checkout",
	"cmd/afar/cmd_statusline.go":     "the person's own status line, which the client starts in the same way without Afar",
	"cmd/afar/relay_unix.go":         "it becomes a program of Afar",
	"coordinator/wall/start.go":      "it starts what child.go and agent_unix.go mark, or becomes what the person starts",

	"coordinator/agentrun/hooks_unix.go":       "hooks of Afar",
	"coordinator/agentrun/interactive_unix.go": "the person's own client, at their terminal",
	"coordinator/doctor/host.go":               "the person runs it: their client, which lists its plugins",
	"coordinator/client/start.go":              "the coordinator",
	"coordinator/host/claude/claude.go":        "the client, which the person installed, says its version",
	"coordinator/internal/link/embedded.go":    "the server of the fleet, a program of Afar",
	"coordinator/internal/child/group_unix.go": "the shell that ends a group, with an empty environment",
	"coordinator/peer/ofconn_darwin.go":        "lsof, on a system without birthmarks",
	"hooks/executable_unix.go":                 "ps, on systems without birthmarks",
	"hooks/members_unix.go":                    "ps, on systems without birthmarks",
	"hooks/session.go":                         "a copy of the hook",

	"coordinator/demo/client.go":              "a demonstration that the person starts",
	"coordinator/demo/demo.go":                "a demonstration that the person starts",
	"coordinator/demo/hooks.go":               "a demonstration that the person starts",
	"coordinator/host/claude/probe/probe.go":  "a throw-away session that the person starts",
	"coordinator/host/claude/sandbox/room.go": "a throw-away session that the person starts",
	"coordinator/standin/agent/agent.go":      "tests",
	"coordinator/standin/agent/claude.go":     "tests",
	"coordinator/standin/gitrepo/gitrepo.go":  "tests",
	"coordinator/standin/host/lab.go":         "tests",
	"coordinator/standin/host/terminal.go":    "tests",
}

// starters are the functions and types of the standard library that start or become a program.
var starters = []string{
	"exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.Exec", "syscall.ForkExec",
	"syscall.StartProcess", "unix.Exec",
}

// TestStarts: every start of a program is in one of the tables above. A program that is not Afar's
// own, and that Afar starts for or because of a session, is started with a birthmark: by
// child.Program or birthmark.Mark. Package birthmark says how.
func TestStarts(t *testing.T) {
	found := map[string]bool{}
	root := "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			name, _ := filepath.Rel(root, path)
			starts, marks := startsIn(t, path)
			found[filepath.ToSlash(name)] = starts
			checkStart(t, filepath.ToSlash(name), starts, marks)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(marked, slices.Collect(maps.Keys(unmarked))) {
		if !found[name] {
			t.Errorf("%s starts no program; remove its row", name)
		}
	}
}

func checkStart(t *testing.T, name string, starts, marks bool) {
	t.Helper()
	_, excused := unmarked[name]
	isMarked := slices.Contains(marked, name)
	switch {
	case starts && !excused && !isMarked:
		t.Errorf("%s starts a program in a way of its own; use child.Program or birthmark.Mark", name)
	case isMarked && !marks && name != "coordinator/birthmark/birthmark_linux.go":
		t.Errorf("%s starts programs without birthmark.Mark", name)
	}
}

// startsIn reports whether a file starts programs, and whether it marks any.
func startsIn(t *testing.T, path string) (starts, marks bool) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		pkg, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		name := pkg.Name + "." + s.Sel.Name
		starts = starts || slices.Contains(starters, name)
		marks = marks || name == "birthmark.Mark"
		return true
	})
	return starts, marks
}
