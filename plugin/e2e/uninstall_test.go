//go:build unix

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// installed returns a machine on which install.sh has installed Afar for a client.
func installed(t *testing.T, version string) (*machine, *host.Lab, *model.Server) {
	t.Helper()
	t.Parallel()
	client := host.Need(t, version)
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	lab := host.NewLab(t, client, m.URL(), host.Opts{})
	c := &machine{t: t, clone: clone(t), home: lab.Home, goes: fakeGo(t, ready(t, ":"))}
	c.env = shell(lab.Home, c.goes, filepath.Dir(client))
	c.install()
	t.Cleanup(func() { c.run("./install.sh", "--uninstall") })
	return c, lab, m
}

// TestRealUninstallRunning uninstalls while a session runs. The session's tools continue to
// work, in a client that has loaded Afar's hooks and would refuse a call if the guard were
// missing. A new session runs without Afar.
func TestRealUninstallRunning(t *testing.T) {
	t.Parallel()
	for name, version := range allClients {
		t.Run(name, func(t *testing.T) {
			host.NeedLong(t, version)
			c, lab, _ := installed(t, version)
			term := lab.Terminal("--permission-mode", "bypassPermissions")
			push := model.Bash("git push --force origin main; touch pushed")
			term.Submit(play(push, model.Say("guarded now")))
			term.Await("guarded now", within)
			if there(filepath.Join(lab.Project, "pushed")) {
				t.Fatal("the guard does not work in this session, so the test proves nothing")
			}
			wants(t, c.install("--uninstall"), "Sessions that still run go on without Afar", "run this again")
			term.Submit(play(model.Bash("touch after"), model.Say("went on")))
			term.Await("went on", within)
			if !there(filepath.Join(lab.Project, "after")) {
				t.Errorf("after the uninstall the session cannot run its tools:\n%s", term.Screen())
			}
			term.Close()
			soon(t, "the end of the client", func() bool { return !running(term.Pid()) })
			wants(t, c.install("--uninstall"), "Removed.")
			if left, _ := os.ReadDir(filepath.Join(c.clone, "bin")); len(left) > 0 {
				t.Errorf("the second uninstall left %v in bin/", left)
			}
			ran(t, lab, "fresh")
		})
	}
}

// ran checks that a new session runs an ordinary call.
func ran(t *testing.T, lab *host.Lab, file string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*within)
	defer cancel()
	res, err := lab.Print(ctx, play(model.Bash("touch "+file), model.Say("fin")), bypass...)
	if err != nil || !there(filepath.Join(lab.Project, file)) {
		t.Errorf("a new session did not run its tool: %v %+v", err, res)
	}
}

// TestRealDisable: while the guard is missing, every call is refused, and the session is
// told a way out. After `claude plugin disable` a new session works.
func TestRealDisable(t *testing.T) {
	long.Only(t)
	c, lab, m := installed(t, host.Current)
	if err := os.Remove(c.bin("hook-pre-tool-use")); err != nil {
		t.Fatal(err)
	}
	write(t, c.clone, "cmd/hook-pre-tool-use/main.go", "package main\n\nfunc main() { broken }\n")
	ctx, cancel := context.WithTimeout(context.Background(), 3*within)
	defer cancel()
	lab.Print(ctx, play(model.Bash("touch refused"), model.Say("fin")), bypass...)
	if there(filepath.Join(lab.Project, "refused")) {
		t.Error("a call without a guard ran")
	}
	told := ""
	for _, q := range m.Turns() {
		told += strings.Join(q.Texts(), "\n")
	}
	wants(t, told, "refuses every tool call", "run install.sh", "claude plugin disable afar@afar")
	if out, err := lab.Command(ctx, "plugin", "disable", "afar@afar").CombinedOutput(); err != nil {
		t.Fatalf("claude plugin disable: %v\n%s", err, out)
	}
	ran(t, lab, "after")
}

// TestInstallHasNoGap runs the guard continuously during an update of Afar. It is never
// missing or broken, which would stop the calls of running sessions.
func TestInstallHasNoGap(t *testing.T) {
	long.Only(t)
	m := bare(t)
	m.install("--no-loop-alias")
	first := read(t, m.bin("hook-pre-tool-use"))
	stop, gaps := make(chan struct{}), make(chan []string, 1)
	go func() { gaps <- m.guards(stop) }()
	for _, build := range []string{"a", "bb", "ccc"} { // what follows a program's end changes nothing in it
		write(t, m.goes, "go", "#!/bin/sh\n"+ready(t, ":")+"\nfor f in \"$to\"*; do printf "+build+" >>\"$f\"; done\n")
		m.install("--no-loop-alias")
	}
	close(stop)
	if found := <-gaps; len(found) > 0 {
		t.Errorf("%d calls had no guard; the first: %s", len(found), found[0])
	}
	if last := read(t, m.bin("hook-pre-tool-use")); last == first || !strings.HasSuffix(last, "ccc") {
		t.Error("the installs changed no program, so the test proves nothing")
	}
}

// guards runs the guard repeatedly until stop is closed, and returns what went wrong.
func (m *machine) guards(stop <-chan struct{}) (wrong []string) {
	for {
		select {
		case <-stop:
			return wrong
		default:
		}
		cmd := exec.Command(m.bin("hook-pre-tool-use"))
		cmd.Env, cmd.Dir = m.env, m.home
		cmd.Stdin = strings.NewReader(m.payload("PreToolUse", "s", `"tool_name":"Bash","tool_input":{"command":"ls"}`))
		if out, err := cmd.CombinedOutput(); err != nil {
			wrong = append(wrong, err.Error()+": "+string(out))
		}
	}
}

// TestInstallUninstallWithoutHost uninstalls while Claude Code has the plugin but is not on
// PATH. Its sessions can use their tools, and say that nothing is guarded.
func TestInstallUninstallWithoutHost(t *testing.T) {
	m := bare(t)
	m.install("--no-loop-alias")
	settings := filepath.Join(m.home, ".claude", "settings.json")
	write(t, filepath.Dir(settings), "settings.json", `{"enabledPlugins":{"afar@afar":true}}`)
	wants(t, m.install("--uninstall"), "claude plugin uninstall afar@afar", "programs that do", "run this again")
	if m.has("afar") || m.has("afar.pin") {
		t.Error("uninstall left more than stand-ins for the hooks")
	}
	out, code := m.run(m.bin("hook-pre-tool-use"))
	if code != 0 || out != "" {
		t.Errorf("the stand-in for the guard: exit %d, %q", code, out)
	}
	out, code = m.hookStart("one")
	if code != 0 || !strings.Contains(out, "nothing is guarded") || m.has(".building") {
		t.Errorf("a new session: exit %d, %q", code, out)
	}
	if err := os.Remove(settings); err != nil {
		t.Fatal(err)
	}
	wants(t, m.install("--uninstall"), "Removed.")
	if there(m.bin("")) {
		t.Errorf("the second uninstall left %v", names(t, m.bin("")))
	}
}
