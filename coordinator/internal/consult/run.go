package consult

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	errAbsent = errors.New("not installed")
	errSilent = errors.New("it said nothing")
)

const (
	// maxSaid is how much of what a program that failed said is told.
	maxSaid = 300
	// graceFor is how long a program that was told to end may take.
	graceFor = 2 * time.Second
)

// mark is the variable by which a consulted model's programs know what they are.
// Nothing relies on it alone, see Nested.
const mark = "AFAR_CONSULTED"

// run asks one program and returns its answer.
func (c Config) run(ctx context.Context, p Program, question string) (Answer, error) {
	env := c.environment()
	path, err := find(p.Path, env)
	if err != nil {
		return Answer{}, err
	}
	dir, err := p.room()
	if err != nil {
		return Answer{}, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout(), fmt.Errorf("no answer within %s", c.timeout()))
	defer cancel()
	out, said := &head{max: maxAnswer}, &tail{max: maxSaid}
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, strings.NewReader(question), out, said
	cmd.WaitDelay = graceFor
	own(cmd)
	if err := start(cmd); err != nil {
		return Answer{}, err
	}
	err = cmd.Wait()
	end(cmd) // whatever it started goes with it
	text, cut, err := outcome(ctx, err, out, said)
	return Answer{Path: path, Text: text, Cut: cut}, err
}

// room makes the directory that a program runs in. No project's settings are
// there.
func (p Program) room() (string, error) {
	dir, err := os.MkdirTemp("", "afar-consult-")
	for name, text := range p.files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		return "", fmt.Errorf("make a directory to run in: %w", err)
	}
	return dir, nil
}

// outcome is what came of a program that ended.
func outcome(ctx context.Context, err error, out *head, said *tail) (string, bool, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(string(out.text), "\uFFFD"))
	switch {
	case ctx.Err() != nil:
		return "", false, context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay): // it ended well, and something that it left behind was cut off
		err = nil
	}
	switch {
	case err != nil && said.String() != "":
		return "", false, fmt.Errorf("%w: %s", err, said)
	case err != nil:
		return "", false, err
	case text == "":
		return "", false, errSilent
	}
	return text, out.cut, nil
}

// start starts the program and marks it as consulted before it can do much.
func start(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	markProcess(cmd.Process.Pid)
	return nil
}

// environment is that of the programs, without what is ours to know. Our own
// hooks, should any run there, fall silent.
func (c Config) environment() []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "AFAR_TELEGRAM_") })
	return append(env, mark+"=1", "AFAR_DISABLED=1")
}

// find looks for a program in the PATH of env.
func find(name string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		return executable(name)
	}
	for _, dir := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue // what a project put beside its files is not what the person installed
		}
		if path, err := executable(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", errAbsent
}

func executable(path string) (string, error) {
	found, err := exec.LookPath(path)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return "", errAbsent
	}
	if err != nil {
		return "", fmt.Errorf("find: %w", err)
	}
	return found, nil
}

// variable returns the value of a variable; the last one counts.
func variable(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// A head keeps the beginning of what is written to it.
type head struct {
	max  int
	text []byte
	cut  bool
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.max-len(h.text))
	h.text = append(h.text, p[:n]...)
	h.cut = h.cut || n < len(p)
	return len(p), nil
}

// A tail keeps the end of what is written to it.
type tail struct {
	max  int
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-t.max):]
	return len(p), nil
}

func (t *tail) String() string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(t.text), "")), " ")
}
