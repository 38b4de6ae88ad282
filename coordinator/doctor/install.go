package doctor

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

const installFix = "run install.sh again"

// binaries checks that every hook that the plugin names is in the same folder as
// afar.
// Without the guard, Claude Code refuses every tool call or lets every one run.
func (x Exam) binaries() wire.Check {
	want, err := x.hooksNamed()
	if err != nil {
		return bad("programs", err.Error(), installFix)
	}
	var missing []string
	for _, name := range append(want, "afar") {
		if !executable(filepath.Join(x.Bin, name+exe())) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return bad("programs", strings.Join(missing, ", ")+" missing in "+x.Bin, installFix)
	}
	return ok("programs", "afar and %s in %s", text.Count(len(want), "hook"), x.Bin)
}

// hooksNamed returns the hook binaries that the plugin's files of hooks name. Without a
// plugin it returns those in the directory of the binaries.
func (x Exam) hooksNamed() ([]string, error) {
	dir := filepath.Join(filepath.Dir(x.Bin), "plugin")
	path := filepath.Join(dir, "hooks.json")
	if raw, err := os.ReadFile(path); err == nil {
		if len(namedHooks(raw)) == 0 {
			return nil, fmt.Errorf("%s names no hook", path)
		}
		newer, _ := os.ReadFile(filepath.Join(dir, "newer-hooks.json")) // an older plugin has none
		return namedHooks(append(raw, newer...)), nil
	}
	found, _ := filepath.Glob(filepath.Join(x.Bin, "hook-*")) // the pattern is sound
	if len(found) == 0 {
		return nil, fmt.Errorf("no hook programs in %s", x.Bin)
	}
	for i, f := range found {
		found[i] = strings.TrimSuffix(filepath.Base(f), exe())
	}
	return found, nil
}

// namedHooks returns the binaries that a file names by their path in the plugin. The start
// script runs hook-session-start, so the file does not name it.
func namedHooks(raw []byte) []string {
	var named []string
	for _, m := range regexp.MustCompile(`/bin/(hook-[a-z-]+)`).FindAllSubmatch(raw, -1) {
		named = append(named, string(m[1]))
	}
	if bytes.Contains(raw, []byte("plugin/start.sh")) {
		named = append(named, "hook-session-start")
	}
	slices.Sort(named)
	return slices.Compact(named)
}

func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode()&0o111 != 0
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// pin checks that the hooks and this command use the same home.
func (x Exam) pin() wire.Check {
	if !home.Pinned(x.Bin) {
		return off("pin", "none: a project's settings could move the home of the hooks", installFix)
	}
	hooks, _, err := home.ForHook(x.Bin, x.Getenv)
	if err != nil {
		return bad("pin", err.Error(), installFix)
	}
	if hooks.User != x.Dirs.User || !slices.Equal(hooks.All(), x.Dirs.All()) {
		return bad("pin", fmt.Sprintf("the hooks use %s, this command %s", hooks.Socket(), x.Dirs.Socket()),
			"unset AFAR_HOME and the XDG variables here, or "+installFix+" in this environment")
	}
	return ok("pin", "hooks and this command share one home")
}

// directories checks that no other user can read them.
func (x Exam) directories() wire.Check {
	made := 0
	for _, dir := range x.Dirs.All() {
		info, err := os.Lstat(dir)
		if err != nil {
			continue
		}
		made++
		if !info.IsDir() {
			return bad("directories", dir+" is not a directory", "move it away")
		}
		if open := othersMay(info); open {
			return bad("directories", dir+" is open to other users", "chmod 700 "+dir)
		}
	}
	if made == 0 {
		return off("directories", "not made yet", "they come with the first start")
	}
	return ok("directories", "closed to other users: %s", x.Dirs.State)
}

func othersMay(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// path checks that a shell finds this afar.
func (x Exam) path() wire.Check {
	found := home.LookIn(x.Getenv("PATH"), "afar")
	if found == "" {
		return off("command", "afar is not on PATH",
			"add the folder that install.sh linked it into, ~/.local/bin by default")
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil || filepath.Dir(real) != x.Bin {
		return bad("command", fmt.Sprintf("afar on PATH is %s, and not of %s", found, x.Bin),
			"run install.sh of the one that you want")
	}
	return ok("command", "afar is %s", found)
}
