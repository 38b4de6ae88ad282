package server

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

// The bounds of what is said of a call's effects.
const (
	maxKinds   = 5   // kinds of effects
	maxTargets = 3   // targets of one kind
	maxBrief   = 300 // bytes in all
)

// look says what a card tells of a call beside its input: what the guard
// understands that it would do, in the words of `afar guard explain` ("delete
// tree build · write file a.txt"), what the session says that it is for, and
// for a Write what lies there now. Each is "" where there is nothing to say.
func (s *Server) look(v seen) (does, says, old string) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("say on a card what a call does", "tool", v.call.Tool, "panic", r)
			does, says, old = "", "", ""
		}
	}()
	switch v.call.Tool {
	case "Bash", "Monitor":
		says, _ = v.in["description"].(string)
		if does = effects(v.decision.Effects, v.at.Cwd); v.decision.Verdict != guard.None && len(v.decision.Effects) == 1 {
			does = "" // the guard's opinion says so already
		}
	case "Write":
		does, old = overwrites(v.in, v.call, v.at)
	}
	return brief(does), brief(says), old
}

// maxLook bounds what is masked for one line of a card, in bytes: masking is
// slow.
const maxLook = 16 << 10

// brief makes a text fit for one line of a card, "" where it is out of all
// proportion.
func brief(s string) string {
	if len(s) > maxLook {
		return ""
	}
	return text.Fold(ask.Elide(text.Fold(redact.Clean(s)), maxBrief))
}

// effects puts effects into one line, those that change something first.
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

// effectKind names an effect, with what makes it less than certain or takes it
// elsewhere.
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

func reads(kind string) int {
	if strings.HasPrefix(kind, string(guard.ReadFile)) {
		return 1
	}
	return 0
}

// near tells a path from the directory of the call.
func near(target, cwd string) string {
	if below, ok := strings.CutPrefix(target, strings.TrimSuffix(cwd, "/")+"/"); ok && cwd != "" {
		return below
	}
	return target
}

// maxOld bounds a file that is shown beside what a call writes over it, in
// bytes.
const maxOld = 64 << 10

// overwrites says whether a Write makes a file or replaces one, and returns the
// old text of a plain file of the project that is no secret.
func overwrites(in map[string]any, call guard.Call, ctx guard.Context) (does, old string) {
	path, _ := in["file_path"].(string)
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
		return "write over something that is no plain file", ""
	}
	does = fmt.Sprintf("replace a file of %d bytes", info.Size())
	if real, ok := guard.Inside(call, ctx); ok && info.Size() <= maxOld {
		old = plainText(real)
	}
	return does, old
}

// plainText returns what a regular file holds, "" where that is no text.
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
