package toolcall

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A Check is a command that runs many times by itself, in a loop or for a wake-up, as the guard sees it.
type Check struct {
	decision guard.Decision
	files    []string // that it runs, as far as the guard follows it
}

// JudgeCheck has the guard judge a check once, before it runs in a session of project. bin is the directory of
// Afar's programs.
func JudgeCheck(dirs home.Dirs, bin, command, cwd, project string) Check {
	where := callsite.Context(dirs, bin, cwd, project)
	where.Git, where.Merged = nil, nil // the check runs many times, so the state of the work tree must not matter
	where.Steps = true
	read, text := map[string]bool{}, where.FileText
	where.FileText = func(path string) (string, bool) {
		if !strings.HasSuffix(path, "/") { // not the names in a directory
			read[path] = true
		}
		return text(path)
	}
	d := guard.Judge(guard.ShellCall(command), where)
	addPrograms(read, d.Steps, filepath.SplitList(dirs.Path))
	return Check{d, slices.Sorted(maps.Keys(read))}
}

// Refused returns an error if the guard denies the check. If it would ask, that is for the person to know.
func (c Check) Refused() error {
	if c.decision.Verdict == guard.Deny {
		return fmt.Errorf("the guard refuses this check: %s (%s)", c.decision.Person, c.decision.Rule)
	}
	return nil
}

// Risk returns why the guard would ask about the check or denies it, "" if it allows it.
func (c Check) Risk() string {
	if c.decision.Verdict == guard.None {
		return ""
	}
	return text.Fold(redact.Clean(c.decision.Person))
}

// Runs returns a digest of the files that the check runs. One that is missing or cannot be read has none.
func (c Check) Runs(ctx context.Context) (string, error) {
	all := sha256.New()
	for _, path := range c.files {
		sum, _, err := disk.Digest(ctx, path)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil {
			sum = ""
		}
		fmt.Fprintf(all, "%q %s\n", path, sum)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// mostRun bounds the files of a check that are looked at.
const mostRun = 500

// addPrograms adds the files that the commands below a step run, or give another program to run. The
// guard reads only those that are text and not installed. folders are those of the PATH; what lies where
// only an administrator writes is left out.
func addPrograms(files map[string]bool, step *guard.Step, folders []string) {
	if step == nil {
		return
	}
	for _, next := range step.Steps {
		for i, word := range next.Words {
			path := word
			if !filepath.IsAbs(path) {
				path = filepath.Join(next.Dir, path)
			}
			if i == 0 && !strings.Contains(word, "/") {
				path = inFolders(word, folders)
			}
			isRun := i == 0 && path != "" || i > 0 && isProgram(path)
			if isRun && next.Away == "" && !(home.UsedProgram{File: path}).IsSystems() && len(files) < mostRun {
				files[path] = true
			}
		}
		addPrograms(files, next, folders)
	}
}

// inFolders returns the first program of a name in some folders, "" for none.
func inFolders(name string, folders []string) string {
	for _, dir := range folders {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isProgram(path) {
			return path
		}
	}
	return ""
}

// isProgram reports whether a path leads to a program or to code.
func isProgram(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return info.Mode()&0o111 != 0 || slices.Contains(codeEnds, strings.ToLower(filepath.Ext(path)))
}

// codeEnds are the ends of the names of files that an interpreter runs.
var codeEnds = strings.Fields(".sh .bash .zsh .fish .py .pyz .js .mjs .cjs .ts .mts .rb .pl .pm .php .lua .r .jl " +
	".tcl .awk .sed .jq .sql .mk .gradle .groovy .exs .clj .scm .el .hs .ml .ps1 .jar .class .dll .wasm .so")
