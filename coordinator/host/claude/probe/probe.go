// Package probe tries the plugin on a real Claude Code, in a throw-away session with a
// home, a project, a coordinator and a model of its own. Of the person's files it reads
// only the programs and files of the plugin.
package probe

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Trial names what is tried.
type Trial struct {
	Client string // the executable of Claude Code
	Plugin string // the folder with plugin/ and bin/
	Path   string // PATH of the person, for git and the shell
}

// A Finding is the result of one thing that was tried.
type Finding struct {
	Proved bool
	Text   string // what holds, or what went wrong
}

// Findings are the results of a trial.
type Findings struct {
	Guard Finding // the guard denies a call
	Ask   Finding // a question reaches its channel, and the answer the session
	Stop  Finding // a loop holds the session
	Skill Finding // the guard judges a command in the text of a skill
	// FailsClosed says that the client stops a call whose guard cannot be started.
	FailsClosed Finding
}

// sessionFor bounds one session of a trial. askFor bounds the wait for its question.
const (
	sessionFor = 90 * time.Second
	askFor     = 45 * time.Second
	lookEvery  = 100 * time.Millisecond
)

// The calls that the model makes. Each leaves a file behind when it runs. Each is
// harmless even if nothing stops it, because the project is not a repository.
const (
	denied    = "git push --force origin main; touch ran-denied"
	asked     = `bash -c "$(awk 1 recipe.txt)"`
	recipe    = "touch ran-asked\n"
	unguarded = "touch ran-unguarded"
	// skill is the text of a skill that the client would run without a question.
	skill = "---\nname: trial\ndescription: a test of Afar\nallowed-tools: Bash(*)\n---\n" +
		"Say !`git push --force origin main; touch ran-skill` now.\n"
	// advice is what the guard says about the first call.
	advice = "Push a new branch"
	// loopText is what a loop's Stop hook says to the model.
	loopText = "hold this session"
)

// Run tries everything and removes what it made. An error means that the trial
// itself could not be carried out.
func (t Trial) Run(ctx context.Context) (Findings, error) {
	r, err := t.room()
	if err != nil {
		return Findings{}, fmt.Errorf("prepare a trial: %w", err)
	}
	defer r.Remove()
	var f Findings
	if err := r.guarded(ctx, &f); err != nil {
		return f, err
	}
	err = r.unguarded(ctx, &f)
	return f, err
}

// A room is the place of one trial.
type room struct {
	sandbox.Room
	client string
}

// room prepares a room whose user settings allow the shell, so only hooks can stop a call.
func (t Trial) room() (room, error) {
	place, err := sandbox.NewRoom(sandbox.Spec{
		Name: "afar-live-", Project: "project", Bin: filepath.Join(t.Plugin, "bin"), Path: t.Path,
	})
	if err != nil {
		return room{}, err
	}
	settings := map[string]any{"permissions": map[string]any{"allow": []string{"Bash", "Skill"}}}
	const dir = ".claude/skills/trial"
	err = errors.Join(place.CopyPlugin(t.Plugin), place.Write("recipe.txt", recipe), place.Settings(settings),
		os.MkdirAll(filepath.Join(place.Project(), dir), 0o700), place.Write(dir+"/SKILL.md", skill))
	if err != nil {
		place.Remove()
		return room{}, err
	}
	return room{place, t.Client}, nil
}

// guarded runs a session whose guard denies one call, asks about another and denies what a
// skill would run, and whose loop holds it at its first stop.
func (r room) guarded(ctx context.Context, f *Findings) error {
	m, err := sandbox.StartModel(sandbox.Play(
		bash(denied), bash(asked), sandbox.Turn{Tool: "Skill", Input: map[string]any{"skill": "trial"}},
		sandbox.Say("one round is done"), sandbox.Say("<loop-done>COMPLETE</loop-done>"),
	))
	if err != nil {
		return err
	}
	defer m.Close()
	words, answered := "no-"+mark(), make(chan error, 1)
	running, end := context.WithCancel(ctx)
	defer end()
	go func() {
		err := r.refuse(running, words)
		if err != nil {
			end() // the session would wait for its answer
		}
		answered <- err
	}()
	out, err := r.session(running, m.URL, "/afar:loop --max 2 "+loopText)
	end()
	reached := <-answered
	if reached == nil && err != nil {
		return err
	}
	results := append(m.Results(), "", "")
	f.Guard = r.judge(results[0])
	f.Ask = r.question(results[1], words, reached)
	f.Skill = r.skilled(m.After(3))
	f.Stop = stopped(m.After(4), out)
	return nil
}

func (r room) judge(told string) Finding {
	switch {
	case r.Has("ran-denied"):
		return Finding{Text: "a call that the guard must deny ran"}
	case told == "":
		return Finding{Text: "the session made no tool call"}
	case !strings.Contains(told, advice):
		return Finding{Text: "the call did not run, and not because of the guard: " + oneLine(told)}
	}
	return Finding{true, "the guard denies a forced push"}
}

func (r room) skilled(told string) Finding {
	switch {
	case r.Has("ran-skill"):
		return Finding{Text: "a command in the text of a skill, which the guard must deny, ran"}
	case !strings.Contains(told, advice):
		return Finding{Text: "the command of a skill did not run, and not because of the guard: " + oneLine(told)}
	}
	return Finding{true, "the guard denies a forced push in the text of a skill"}
}

func (r room) question(told, words string, reached error) Finding {
	switch {
	case r.Has("ran-asked"):
		return Finding{Text: "a call that the guard must ask about ran without an answer"}
	case reached != nil:
		return Finding{Text: "no question arrived: " + oneLine(reached.Error())}
	case !strings.Contains(told, words):
		return Finding{Text: "the answer did not reach the session, which was told: " + oneLine(told)}
	}
	return Finding{true, "a question reaches the coordinator, and its answer the session"}
}

func stopped(told, out string) Finding {
	if strings.Contains(told, loopText) {
		return Finding{true, "the Stop hook holds a session in its loop"}
	}
	return Finding{Text: "the session ended although its loop had a round left; it printed: " + oneLine(out)}
}

// unguarded runs a session whose guard cannot be started.
func (r room) unguarded(ctx context.Context, f *Findings) error {
	if err := r.breakGuard(); err != nil {
		return fmt.Errorf("prepare a trial: %w", err)
	}
	m, err := sandbox.StartModel(sandbox.Play(bash(unguarded), sandbox.Say("done")))
	if err != nil {
		return err
	}
	defer m.Close()
	if _, err := r.session(ctx, m.URL, "go"); err != nil {
		return err
	}
	results := m.Results()
	switch {
	case r.Has("ran-unguarded"):
		f.FailsClosed = Finding{Text: "a call whose guard cannot be started runs"}
	case len(results) == 0:
		f.FailsClosed = Finding{Text: "the session made no tool call"}
	default:
		f.FailsClosed = Finding{true, "a call whose guard cannot be started does not run"}
	}
	return nil
}

func bash(command string) sandbox.Turn { return sandbox.Bash(command, "a test of Afar") }

// breakGuard puts folders in the place of the guard's program. If nothing were
// there, start.sh would build it again.
func (r room) breakGuard() error {
	for _, name := range []string{"hook-pre-tool-use", "hook-pre-tool-use.exe"} {
		path := filepath.Join(r.Bin(), name)
		_ = os.Remove(path) // only one of the two exists
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// session runs one print session to its end and returns what it printed.
func (r room) session(ctx context.Context, model, prompt string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, sessionFor)
	defer cancel()
	c := exec.CommandContext(ctx, r.client, "-p", prompt, "--plugin-dir", r.Plugin(), "--permission-mode", "default")
	c.Dir, c.WaitDelay = r.Project(), time.Second
	c.Env = r.ClientEnv(model)
	out, err := c.CombinedOutput()
	if ctx.Err() != nil {
		return "", fmt.Errorf("the session did not end within %s: %s", sessionFor, oneLine(string(out)))
	}
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		return "", fmt.Errorf("start %s: %w", r.client, err)
	}
	return string(out), nil
}

// refuse waits for the session's question at the terminal channel and denies it
// with these words.
func (r room) refuse(ctx context.Context, words string) error {
	ctx, cancel := context.WithTimeout(ctx, askFor)
	defer cancel()
	for {
		id, err := r.open(ctx)
		if id != "" {
			return r.Afar(ctx, nil, "deny", id, "-m", words)
		}
		select {
		case <-ctx.Done():
			if err != nil {
				return err
			}
			return fmt.Errorf("the coordinator has none")
		case <-time.After(lookEvery):
		}
	}
}

// open returns the id of the open question, "" where there is none. It starts no
// coordinator: that is for the hooks.
func (r room) open(ctx context.Context) (string, error) {
	if !r.Started() {
		return "", fmt.Errorf("no hook started a coordinator")
	}
	var found struct{ Asks []struct{ ID, State string } }
	if err := r.Afar(ctx, &found, "asks", "--json"); err != nil {
		return "", err
	}
	for _, a := range found.Asks {
		if a.State == "open" {
			return a.ID, nil
		}
	}
	return "", nil
}

// oneLine returns the beginning of a text in one line.
func oneLine(s string) string { return text.ClipBytes(text.Fold(s), 200) }

// mark returns a random word, which occurs nowhere else.
func mark() string { return rand.Text()[:12] }
