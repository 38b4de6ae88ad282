// Package sandbox makes throw-away places in which a real Claude Code can run: a home, a
// project, a coordinator, copies of the plugin's programs, and a scripted model. Of the
// person's files it reads only the programs and files of the plugin.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Spec says what a room is made of.
type Spec struct {
	Name    string // the beginning of the name of its folder
	Project string // the name of the project's folder
	Bin     string // the folder of Afar's programs
	Path    string // PATH of the person, for git and the shell
}

// A Room is a throw-away place. All of it is removed at the end.
type Room struct {
	dir  string
	spec Spec
	lock *home.Lock // on dir, until the room is removed or its maker has died
}

// NewRoom creates a room in the system's folder for temporary files. The programs are
// copied without the pin next to them, so that the hooks follow AFAR_HOME. It also removes
// the rooms of the same name whose makers were killed.
func NewRoom(spec Spec) (Room, error) {
	sweep(spec.Name)
	dir, err := os.MkdirTemp("", spec.Name)
	if err != nil {
		return Room{}, err
	}
	if whole, err := filepath.EvalSymlinks(dir); err == nil {
		dir = whole
	}
	r := Room{dir: dir, spec: spec}
	if r.lock, err = home.TryLock(dir); err == nil {
		err = r.fill()
	}
	if err != nil {
		r.Remove()
		return Room{}, err
	}
	return r, nil
}

// settledFor is how old a room is before it can count as left behind: its maker has its
// lock by then.
const settledFor = time.Minute

// sweep removes the rooms that nobody holds any more. Nothing in them is run. A coordinator
// that still runs in one ends by itself when its home is gone.
func sweep(name string) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*")) // the name is no bad pattern
	for _, dir := range left {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settledFor {
			continue
		}
		if lock, err := home.TryLock(dir); err == nil && lock != nil {
			_ = os.RemoveAll(dir) // another sweep removes what is left
			lock.Release()
		}
	}
}

func (r Room) fill() error {
	for _, dir := range []string{filepath.Join(r.Home(), ".claude"), r.Project(), r.Bin()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return r.copyPrograms()
}

// CopyPlugin copies what a client loads besides the programs. plugin is the folder that
// holds plugin/.
func (r Room) CopyPlugin(plugin string) error {
	for _, name := range []string{".claude-plugin", "plugin", "skills"} {
		if err := os.CopyFS(filepath.Join(r.Plugin(), name), os.DirFS(filepath.Join(plugin, name))); err != nil {
			return err
		}
	}
	return nil
}

// Dir is the folder that holds the whole room.
func (r Room) Dir() string { return r.dir }

// Home is the HOME of the room's programs.
func (r Room) Home() string { return filepath.Join(r.dir, "home") }

// Project is the working directory of the room's session.
func (r Room) Project() string { return filepath.Join(r.dir, r.spec.Project) }

// Plugin is what the client loads with --plugin-dir.
func (r Room) Plugin() string { return filepath.Join(r.dir, "plugin") }

// Bin holds the room's own copies of the programs.
func (r Room) Bin() string { return filepath.Join(r.Plugin(), "bin") }

// AfarHome is the room's AFAR_HOME.
func (r Room) AfarHome() string { return filepath.Join(r.dir, "afar") }

// copyPrograms copies the programs. A hard link would do, but Claude Code's `plugin eval`
// refuses a plugin with a file that has another name.
func (r Room) copyPrograms() error {
	programs, err := filepath.Glob(filepath.Join(r.spec.Bin, "*"))
	if err != nil {
		return err
	}
	for _, from := range programs {
		name := filepath.Base(from)
		plain := strings.TrimSuffix(name, ".exe")
		if plain != "afar" && plain != "agent-run" && !strings.HasPrefix(plain, "hook-") {
			continue
		}
		if err := copyFile(from, filepath.Join(r.Bin(), name)); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// key is what the client sends to the model. It opens nothing.
const key = "sk-ant-none-for-loopback"

// Settings writes the client's settings, and answers its first questions in advance.
func (r Room) Settings(settings any) error {
	trusted := map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	state := map[string]any{
		"hasCompletedOnboarding": true,
		"customApiKeyResponses":  map[string]any{"approved": []string{key[len(key)-20:]}},
		"projects":               map[string]any{r.Project(): trusted},
	}
	return errors.Join(
		write(filepath.Join(r.Home(), ".claude.json"), string(encode(state))),
		write(filepath.Join(r.Home(), ".claude", "settings.json"), string(encode(settings))))
}

// Write writes a file of the project.
func (r Room) Write(name, text string) error { return write(filepath.Join(r.Project(), name), text) }

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// Env returns the whole environment of the room's programs. It keeps git from looking
// for a repository above the project.
func (r Room) Env() []string {
	env := []string{
		"HOME=" + r.Home(),
		"PATH=" + r.spec.Path,
		"AFAR_HOME=" + r.AfarHome(),
		"AFAR_WEB_ADDR=off",
		"LANG=C.UTF-8",
		"GIT_CEILING_DIRECTORIES=" + r.dir,
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+r.Home(), "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}

// ClientEnv returns the environment of a client that speaks to a model on loopback and to
// nothing else. The model is also the proxy of whatever the client still asks the network
// for, and refuses it. git may use files alone.
func (r Room) ClientEnv(model string) []string {
	return append(r.Env(),
		"ANTHROPIC_BASE_URL="+model,
		"ANTHROPIC_API_KEY="+key,
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1",
		"HTTP_PROXY="+model,
		"HTTPS_PROXY="+model,
		"NO_PROXY=127.0.0.1,localhost",
		"GIT_ALLOW_PROTOCOL=file",
	)
}

// Has reports whether the project has a file of that name.
func (r Room) Has(name string) bool {
	_, err := os.Lstat(filepath.Join(r.Project(), name))
	return !errors.Is(err, fs.ErrNotExist)
}

// Started reports whether the room's coordinator was started.
func (r Room) Started() bool {
	_, err := os.Stat(filepath.Join(r.AfarHome(), "state", "afar.db"))
	return err == nil
}

// stopFor bounds the end of a room, lookEvery is the pause between two tries.
const (
	stopFor   = 10 * time.Second
	lookEvery = 100 * time.Millisecond
)

// Remove ends the coordinator and removes the room, also while the last program
// of the session still writes there.
func (r Room) Remove() {
	ctx, cancel := context.WithTimeout(context.Background(), stopFor)
	defer cancel()
	if r.Started() {
		_ = r.Afar(ctx, nil, "stop") // it ends by itself at the latest when its home is gone
	}
	for os.RemoveAll(r.dir) != nil && ctx.Err() == nil {
		time.Sleep(lookEvery)
	}
	r.lock.Release()
}

// Afar runs the room's own copy of the command line and reads its JSON into out. A Ctrl-C at the
// maker's terminal does not reach it, so Remove ends the coordinator before it removes its home.
func (r Room) Afar(ctx context.Context, out any, args ...string) error {
	c := exec.CommandContext(ctx, filepath.Join(r.Bin(), "afar"), args...)
	c.Env, c.Dir, c.WaitDelay = r.Env(), r.Project(), time.Second
	c.SysProcAttr = client.Detached()
	said, err := c.Output()
	if exit, ended := err.(*exec.ExitError); ended {
		return fmt.Errorf("afar %s: %s", args[0], text.ClipBytes(text.Fold(string(exit.Stderr)), 200))
	}
	if err != nil {
		return fmt.Errorf("afar %s: %w", args[0], err)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(said, out)
}
