package consult

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/renewal"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wall"
)

var errSilent = errors.New("it said nothing")

const (
	// maxSaid bounds the part of a failed program's output that an error quotes.
	maxSaid = 300
	// graceFor is how long a program may take to end.
	graceFor = 2 * time.Second
)

// mark is the variable that tells the programs of a consulted model what they are. Nested
// does not rely on it alone.
const mark = "AFAR_CONSULTED"

// run asks one program and returns its answer.
func (c Config) run(ctx context.Context, p Program, question string) (Answer, error) {
	path, err := c.find(p)
	if err != nil {
		return Answer{}, err
	}
	dir, err := p.room()
	if err != nil {
		return Answer{}, err
	}
	defer os.RemoveAll(dir)
	env := c.environment()
	place := wall.Place{Dirs: c.Dirs, Dir: dir, Temp: variable(env, "TMPDIR"), Program: path, Getenv: wall.From(env)}
	bound, err := wall.New(place, c.Wall)
	if err != nil {
		return Answer{}, err
	}
	if bound.Exists() {
		failed := func(error) {} // the program says what it lacks
		defer renewal.Keep(filepath.Base(path), path, c.Dirs.User, env, failed)()
		env = place.Env(env)
	}
	program := child.Program{
		Path: path, Args: p.Args, Dir: dir, Env: env, In: question + p.tail, Wall: bound,
		Limit: c.timeout(), Grace: graceFor, Most: maxAnswer, Level: birthmark.Consulted,
	}
	out, err := program.Run(ctx)
	if p.reports {
		if r := readReport(out.Text); r != nil { // it says what failed, so how the program ended does not matter
			return Answer{Path: path, Text: string(out.Text), report: r}, nil
		}
	}
	text, err := outcome(out, err)
	return Answer{Path: path, Text: text, Cut: out.Cut}, err
}

// room makes the working directory of a program. It holds no project's settings.
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

// outcome returns the answer of a program that has ended, or why it gave none.
func outcome(out child.Output, err error) (string, error) {
	text, said := strings.TrimSpace(strings.ToValidUTF8(string(out.Text), "\uFFFD")), lastLine(out.Said)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && said != "":
		return "", fmt.Errorf("%w: %s", err, said)
	case err != nil:
		return "", err
	case text == "":
		return "", errSilent
	}
	return text, nil
}

// lastLine returns the end of a program's output in one line. Programs print the reason of
// a failure there.
func lastLine(said string) string {
	said = strings.ToValidUTF8(said[max(0, len(said)-maxSaid):], "")
	return text.Fold(said)
}

// environment returns the environment of the programs, without Afar's secrets. It also
// switches off Afar's hooks.
func (c Config) environment() []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "AFAR_TELEGRAM_") })
	return append(env, mark+"=1", "AFAR_DISABLED=1")
}

// find returns the path of a program in the environment of the programs.
func (c Config) find(p Program) (string, error) {
	return child.Find(p.Path, cmp.Or(c.Path, variable(c.environment(), "PATH")), c.Repo)
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
