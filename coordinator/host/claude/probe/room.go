package probe

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A room is the place of one trial. All of it is removed at the end.
type room struct {
	Trial
	dir string
}

func (r room) home() string    { return filepath.Join(r.dir, "home") }
func (r room) project() string { return filepath.Join(r.dir, "project") }
func (r room) plugin() string  { return filepath.Join(r.dir, "plugin") }
func (r room) bin() string     { return filepath.Join(r.plugin(), "bin") }
func (r room) afarHome() string {
	return filepath.Join(r.dir, "afar")
}

// room creates a room. It copies the programs without the pin next to them, so that the
// hooks follow AFAR_HOME.
func (t Trial) room() (room, error) {
	dir, err := os.MkdirTemp("", "afar-live-")
	if err != nil {
		return room{}, err
	}
	r := room{t, dir}
	if err := r.fill(); err != nil {
		r.remove()
		return room{}, err
	}
	return r, nil
}

func (r room) fill() error {
	for _, dir := range []string{filepath.Join(r.home(), ".claude"), r.project(), r.bin()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for _, name := range []string{".claude-plugin", "plugin", "skills"} {
		if err := os.CopyFS(filepath.Join(r.plugin(), name), os.DirFS(filepath.Join(r.Plugin, name))); err != nil {
			return err
		}
	}
	return errors.Join(r.copyPrograms(), r.write(filepath.Join(r.project(), "recipe.txt"), recipe), r.writeSettings())
}

// copyPrograms links the programs, or copies them to another file system.
func (r room) copyPrograms() error {
	programs, err := filepath.Glob(filepath.Join(r.Plugin, "bin", "*"))
	if err != nil {
		return err
	}
	for _, from := range programs {
		name := filepath.Base(from)
		if plain := strings.TrimSuffix(name, ".exe"); plain != "afar" && !strings.HasPrefix(plain, "hook-") {
			continue
		}
		to := filepath.Join(r.bin(), name)
		if os.Link(from, to) == nil {
			continue
		}
		if err := copyFile(from, to); err != nil {
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

// writeSettings answers the client's first questions in advance, and allows the shell.
func (r room) writeSettings() error {
	trusted := map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}
	state := map[string]any{"hasCompletedOnboarding": true, "projects": map[string]any{r.project(): trusted}}
	settings := map[string]any{"permissions": map[string]any{"allow": []string{"Bash"}}}
	return errors.Join(
		r.write(filepath.Join(r.home(), ".claude.json"), string(encode(state))),
		r.write(filepath.Join(r.home(), ".claude", "settings.json"), string(encode(settings))))
}

func (r room) write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }

// env returns the whole environment of the trial's programs. It keeps git from looking
// for a repository above the project.
func (r room) env() []string {
	env := []string{
		"HOME=" + r.home(),
		"PATH=" + r.Path,
		"AFAR_HOME=" + r.afarHome(),
		"AFAR_WEB_ADDR=off",
		"LANG=C.UTF-8",
		"GIT_CEILING_DIRECTORIES=" + r.dir,
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+r.home(), "SystemRoot="+os.Getenv("SystemRoot"))
	}
	return env
}

// has reports whether a call left its file.
func (r room) has(name string) bool {
	_, err := os.Lstat(filepath.Join(r.project(), name))
	return !errors.Is(err, fs.ErrNotExist)
}

// started reports whether a hook has started the trial's coordinator.
func (r room) started() bool {
	_, err := os.Stat(filepath.Join(r.afarHome(), "state", "afar.db"))
	return err == nil
}

// remove ends the coordinator and removes the room, also while the last program
// of the session still writes there.
func (r room) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), stopFor)
	defer cancel()
	if r.started() {
		_ = r.afar(ctx, nil, "stop") // it ends by itself at the latest when its home is gone
	}
	for os.RemoveAll(r.dir) != nil && ctx.Err() == nil {
		time.Sleep(lookEvery)
	}
}
