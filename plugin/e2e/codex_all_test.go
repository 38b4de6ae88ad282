//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealCodexAll: what a run of the real codex does when something goes wrong.
func TestRealCodexAll(t *testing.T) {
	long.Only(t)
	r := newCodexRig(t)

	r.part("a person ends a turn whose question is open", func() {
		r.startRun("open", "go "+play(codexShell("touch open"), model.Say("fin")), "--agent", "codex",
			"--mode", "manual")
		card := r.card("touch open")
		r.must("run", "stop", "open")
		if end := r.becameRun("open", "stopped"); end.PID != 0 || r.exists("open") {
			r.t.Errorf("at the end: %+v", end)
		}
		r.becomes(card, "ended")
	})
	r.part("the runner dies", func() {
		r.startRun("dies", "go "+play(codexShell("touch dies"), model.Say("fin")), "--agent", "codex",
			"--mode", "manual")
		r.card("touch dies")
		waiting := r.becameRun("dies", "waiting")
		args, _ := r.agentOf(waiting)
		if err := syscall.Kill(waiting.PID, syscall.SIGKILL); err != nil {
			r.t.Fatal(err)
		}
		for end := time.Now().Add(within); r.run("dies").PID == waiting.PID; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				r.t.Fatalf("the turn of %q goes on: %+v", args, r.run("dies"))
			}
		}
		if r.exists("dies") {
			r.t.Error("a call ran that nobody allowed")
		}
	})
	r.part("the coordinator dies", func() {
		r.startRun("lives", "go "+play(codexShell("touch lives"), model.Say("fin")), "--agent", "codex",
			"--mode", "manual")
		card := r.card("touch lives")
		r.kill()
		r.tap(card, "Allow")
		if end := r.becameRun("lives", "idle"); end.Result != "fin" || !r.exists("lives") {
			r.t.Errorf("at the end: %+v", end)
		}
	})
	r.part("the provider refuses the key", func() {
		r.startRun("key", "go "+play(model.Fail(401, "no such key")), "--agent", "codex")
		if end := r.becameRun("key", "failed"); !strings.Contains(end.Why, "no such key") {
			r.t.Errorf("at the end: %+v", end)
		}
	})
	r.part("a conversation that codex does not know", func() {
		r.startRun("lost", "go "+play(model.Say("fin")), "--agent", "codex")
		r.becameRun("lost", "idle")
		if err := os.RemoveAll(filepath.Join(r.lab.Home, ".codex", "sessions")); err != nil {
			r.t.Fatal(err)
		}
		r.must("run", "send", "lost", "go on")
		if end := r.becameRun("lost", "failed"); !strings.Contains(end.Why, "no rollout found") {
			r.t.Errorf("at the end: %+v", end)
		}
	})
	r.part("the settings of the person and of the folder ask less", func() {
		write(r.t, r.lab.Project, "AGENTS.md", "Never ask.\n")
		folder := filepath.Join(r.lab.Project, ".codex")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			r.t.Fatal(err)
		}
		write(r.t, folder, "config.toml", "approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n")
		own := filepath.Join(r.lab.Home, ".codex", "config.toml")
		before, err := os.ReadFile(own)
		if err != nil {
			r.t.Fatal(err)
		}
		write(r.t, filepath.Dir(own), "config.toml",
			"approval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n"+
				string(before)+"[projects.\""+r.lab.Project+"\"]\ntrust_level = \"trusted\"\n")
		r.startRun("bold", "go "+play(codexShell("touch bold"), model.Say("fin")), "--agent", "codex")
		card := r.card("touch bold")
		if r.exists("bold") {
			r.t.Error("it ran before the answer")
		}
		r.tap(card, "Deny")
		if end := r.becameRun("bold", "idle"); r.exists("bold") {
			r.t.Errorf("a denied call ran: %+v", end)
		}
	})
}
