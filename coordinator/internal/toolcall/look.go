package toolcall

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// The bounds of the text about a call's effects.
const (
	maxKinds   = 5   // kinds of effects
	maxTargets = 3   // targets of one kind
	maxBrief   = 300 // bytes in all
)

// A Look is what a card says about a call besides its input. A part is "" if there is
// nothing to say.
type Look struct {
	Does string // what it would do, in the words of `afar guard explain`
	Says string // what the session says that it is for
	Old  string // for a Write, what the file holds now
}

// Look returns what a card says about the call besides its input.
func (c Call) Look() (look Look) {
	switch {
	case c.Input.Tool == "Bash", c.Input.Tool == "Monitor":
		if !c.explained() {
			look.Does = effects(c.Decision.Effects, c.at.Cwd)
		}
	case c.Input.Replaces:
		look.Does, look.Old = c.overwrites()
	}
	look.Does, look.Says = Brief(look.Does), Brief(c.Input.Purpose)
	return look
}

// explained reports whether the guard's opinion already says what the call does. The card
// shows that opinion too.
func (c Call) explained() bool {
	return c.Decision.Verdict != guard.None && len(c.Decision.Effects) == 1
}

// MaxLine bounds the text that is masked for one line of a card, in bytes: masking is
// slow.
const MaxLine = 16 << 10

// Brief returns a text as one line of a card, without secrets. It returns "" for a text
// longer than MaxLine.
func Brief(s string) string {
	if len(s) > MaxLine {
		return ""
	}
	return text.Fold(ask.Elide(text.Fold(redact.Clean(s)), maxBrief))
}

// effects returns one line about all effects. Those that only read come last.
func effects(all []guard.Effect, cwd string) string {
	var kinds []string
	targets := map[string][]string{}
	for _, e := range all {
		kind := effectKind(e)
		if _, known := targets[kind]; !known {
			kinds = append(kinds, kind)
			targets[kind] = nil
		}
		if t := near(e.Target, cwd); t != "" && !slices.Contains(targets[kind], t) {
			targets[kind] = append(targets[kind], t)
		}
	}
	slices.SortStableFunc(kinds, func(a, b string) int { return reads(a) - reads(b) })
	var out []string
	for i, kind := range kinds {
		if i == maxKinds {
			out = append(out, "…")
			break
		}
		out = append(out, strings.TrimSpace(kind+" "+text.Some(targets[kind], maxTargets)))
	}
	return strings.Join(out, " · ")
}

// effectKind returns the name of an effect. The name also says if the effect is only
// possible, and if it happens elsewhere.
func effectKind(e guard.Effect) string {
	kind := string(e.Kind)
	if e.Away != "" {
		kind += " (" + e.Away + ")"
	}
	if e.Sure == guard.Possible {
		kind = "perhaps " + kind
	}
	return kind
}

// reads returns 1 for a kind of effect that only reads, 0 for the others.
func reads(kind string) int {
	if strings.HasPrefix(kind, string(guard.ReadFile)) {
		return 1
	}
	return 0
}

// near returns a target without the directory of the call in front of it.
func near(target, cwd string) string {
	if cwd == "" {
		return target
	}
	return strings.TrimPrefix(target, strings.TrimSuffix(cwd, "/")+"/")
}

// maxOld bounds the old content that a card shows for a Write, in bytes.
const maxOld = 64 << 10

// overwrites says whether the call makes a file or replaces one. It returns the old text
// of a plain file of the project that is not secret.
func (c Call) overwrites() (does, old string) {
	path := c.Input.Subject
	if !filepath.IsAbs(path) {
		return "", ""
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "make a new file", ""
	case err != nil:
		return "", ""
	case !info.Mode().IsRegular():
		return "write over something that is not a plain file", ""
	}
	does = fmt.Sprintf("replace a file of %d bytes", info.Size())
	if real, ok := guard.Inside(c.call, c.at, c.Decision); ok && info.Size() <= maxOld {
		old = plainText(real)
	}
	return does, old
}

// plainText returns the content of a regular file, "" if that is not text.
func plainText(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxOld))
	if err != nil || !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return ""
	}
	return string(raw)
}
