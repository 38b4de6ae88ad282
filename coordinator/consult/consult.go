// Package consult asks another model. The model gets a question and nothing else: no
// tools, no hooks, no plugins and an empty working directory, and it cannot consult
// another model itself. Its answer is only an opinion. The one exception is a verdict
// of Review, which documents what counts as one.
package consult

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/wall"
)

const (
	// Timeout is how long one program may take by default.
	Timeout = 10 * time.Minute
	// maxQuestion is the longest question, in bytes.
	maxQuestion = 1 << 20
	// maxAnswer is how much of an answer is kept, in bytes.
	maxAnswer = 256 << 10
)

// Errors of ask. The text of each names every program and says why it gave no answer.
var (
	// ErrNone says that no program gave an answer: none is installed, or each failed.
	ErrNone = errors.New("no other model could be asked")
	// errNested says that a consulted model asked for a consultation.
	errNested = errors.New("a consulted model cannot consult")
	// errQuestion says that the question is empty or longer than maxQuestion.
	errQuestion = errors.New("the question cannot be asked")
)

// A Config says which programs to ask, and how. The zero value asks the usual programs
// in this process's PATH.
type Config struct {
	// Programs are asked in this order until one answers; nil is usual.
	Programs []Program
	// Timeout bounds each program; 0 is Timeout.
	Timeout time.Duration
	// Env is the environment of the programs; nil means this process's own. Credentials are
	// passed only in it.
	Env []string
	// Path is where the programs are looked up, a list as in PATH; "" means the PATH of Env.
	Path string
	// Repo is the repository that the question is about, "" for none. A program inside
	// it is not run, because the person did not install it.
	Repo string
	// Wall bounds the programs, in the person's home of Dirs.
	Wall wall.Settings
	Dirs home.Dirs
}

// An Answer is a program's answer.
type Answer struct {
	By     string        // the name of the program
	Path   string        // of its binary
	Text   string        // trimmed, valid UTF-8, never empty
	Cut    bool          // the answer was longer
	Digest string        // SHA-256 of Text in hex
	Took   time.Duration // of this program alone
	Missed []Miss        // the programs before it that gave no answer

	report *report // what Claude Code reported, nil for an answer in words
}

// A Miss is a program that gave no answer, and why.
type Miss struct {
	By, Why string
	Absent  bool // it is not installed
}

func (m Miss) String() string { return m.By + ": " + m.Why }

// ask asks the programs in order and returns the first answer. A program that is
// missing or fails is listed in Missed.
func ask(ctx context.Context, c Config, question string) (Answer, error) {
	if Nested() {
		return Answer{}, fmt.Errorf("%w: answer from what you know", errNested)
	}
	if err := checkQuestion(question); err != nil {
		return Answer{}, err
	}
	return c.firstAnswer(ctx, question)
}

func checkQuestion(question string) error {
	switch {
	case strings.TrimSpace(question) == "":
		return fmt.Errorf("%w: it is empty", errQuestion)
	case len(question) > maxQuestion:
		return fmt.Errorf("%w: it has %d bytes, %d are allowed; ask about less at a time", errQuestion, len(question),
			maxQuestion)
	}
	return nil
}

func (c Config) firstAnswer(ctx context.Context, question string) (Answer, error) {
	var missed []Miss
	for _, p := range c.programs() {
		started := time.Now()
		a, err := c.run(ctx, p, question)
		if ctx.Err() != nil {
			return Answer{}, fmt.Errorf("consult %s: %w", p.Name, ctx.Err())
		}
		if err == nil {
			a.By, a.Digest, a.Took, a.Missed = p.Name, digest(a.Text), time.Since(started), missed
			return a, nil
		}
		missed = append(missed, Miss{By: p.Name, Why: err.Error(), Absent: errors.Is(err, child.ErrAbsent)})
	}
	return Answer{Missed: missed}, fmt.Errorf("%w: %s", ErrNone, describe(missed))
}

// Installed returns the paths of the programs that are installed, in order.
func (c Config) Installed() (paths []string) {
	for _, p := range c.programs() {
		if path, err := c.find(p); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func (c Config) programs() []Program {
	if c.Programs == nil {
		return usual()
	}
	return c.Programs
}

func (c Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return Timeout
	}
	return c.Timeout
}

func describe(missed []Miss) string {
	all := make([]string, len(missed))
	for i, m := range missed {
		all[i] = m.String()
	}
	return strings.Join(all, "; ")
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
