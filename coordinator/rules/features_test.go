package rules

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// features lists the features, with the layers in which each has a file. A feature has the
// same file name in each layer: ask.go in wire, hooks, core, store, server/hook, server/noun and telegram, and
// cmd_asks.go. The page reads and decides through the server's operations, so web has few of
// its own. A name with a slash is a file of a domain package below coordinator/internal;
// cmd:NAME is cmd/afar/cmd_NAME.go. More files may have names that begin with the feature:
// ask.go, ask_answer.go.
var features = map[string]string{
	"agentguard": "cmd:agentguard",
	"act":        "core server/door telegram",
	"alarm":      "feature server/hook",
	"anchor":     "loop/anchor workplace/workplace",
	"ask": "wire hooks ask/ask view core store server/hook server/noun telegram terminal cmd:allow " +
		"cmd:answer cmd:asks cmd:deny",
	"background":  "background/background feature",
	"away":        "wire session/away server/hook server/noun cmd:away cmd:pause cmd:resume",
	"check":       "wire hooks loop/check core server/hook",
	"checkpoint":  "task/checkpoint ask/checkpoint core telegram",
	"checkin":     "wire hooks ask/checkin core server/hook telegram",
	"config":      "wire server/noun cmd:config",
	"consult":     "wire hooks server/hook cmd:consult",
	"debug":       "wire hooks server/hook cmd:debug",
	"denied":      "wire hooks ask/denied core server/hook telegram",
	"doctor":      "wire server/noun terminal cmd:doctor",
	"elicitation": "hooks ask/elicitation core telegram",
	"extract":     "memory/extract feature",
	"grant":       "wire hooks grant/grant core store server/hook server/noun telegram terminal cmd:grants cmd:revoke",
	"guard":       "wire hooks session/guard feature server/hook page cmd:guard cmd:guardtest",
	"issue":       "wire loop/issue core feature server/hook server/noun terminal cmd:issue",
	"journal":     "wire event/event feature server/noun cmd:audit cmd:log",
	"loop":        "wire loop/loop view core store server/hook server/noun cmd:loop",
	"memory": "wire memory/memory feature store server/hook server/noun telegram web page terminal cmd:memory " +
		"cmd:journal",
	"message":    "wire hooks message/message view core store server/hook telegram",
	"notice":     "session/notice core telegram",
	"outward":    "wire server/hook cmd:audit_actions",
	"page":       "wire server/noun telegram cmd:open",
	"park":       "ask/park core",
	"policy":     "wire server/noun cmd:trust",
	"question":   "wire hooks ask/question server/hook server/noun telegram",
	"refusal":    "channel/refusal core telegram",
	"remind":     "ask/remind telegram",
	"report":     "wire view feature store server/noun page terminal cmd:report",
	"review":     "wire hooks review/review session/review feature server/hook",
	"run":        "wire run/run view core feature store server/noun telegram web page cmd:run",
	"send":       "wire core server/noun telegram web page cmd:inbox cmd:send",
	"session":    "wire hooks session/session view core store server/hook server/noun page",
	"signin":     "signin/signin feature store web",
	"status":     "wire server/noun terminal cmd:status cmd:watch",
	"stop":       "wire hooks turn/turn core server/hook",
	"wall":       "wire server/hook server/noun terminal cmd:wall",
	"fleet":      "wire fleet/fleet view feature store server/noun telegram cmd:fleet",
	"gap":        "wire task/gap view server/noun cmd:gap",
	"sweep":      "task/sweep feature",
	"suggestion": "wire ask/suggestion task/suggestion view feature server/noun telegram cmd:suggestion",
	"task":       "wire task/task view core store server/noun telegram web page cmd:task",
	"telegram":   "wire server/noun telegram terminal cmd:telegram",
	"tool":       "wire server/door server/noun cmd:mcp",
	"topic":      "wire topic/topic core store server/noun terminal cmd:post cmd:read cmd:topics",
	"module":     "wire module/module view feature store server/noun web page cmd:module",
	"trigger":    "wire trigger/trigger view feature store server/noun telegram web page terminal cmd:trigger",
	"triage":     "task/triage feature",
	"turn":       "wire hooks session/turn core server/hook server/noun telegram cmd:stopturn",
	"wake":       "wire server/noun",
	"undo":       "wire hooks undo/undo feature store server/hook server/noun telegram terminal cmd:undo",
}

// A layer is a folder with files of features and some files of its own.
type layer struct {
	dir    string
	prefix string // of the files that the list is about
	own    string
}

var layers = map[string]layer{
	"wire": {dir: "coordinator/wire", own: "encode hook object wire"},
	"hooks": {dir: "hooks", own: "birthmark config_change executable fail fail_closed group hooks members output " +
		"permission_request post_tool_batch post_tool_use pre_tool_use prompt receipt"},
	"core": {dir: in + "core", own: "action answersfrom beside card channel core damage handover living " +
		"proof setting spend state tick unwritable wake"},
	"feature": {dir: in + "feature", own: "feature wake"},
	"store":   {dir: in + "store", own: "action age batch channel clean copy kind read repair store unknown unwritable"},
	"server/door": {dir: in + "server/door",
		own: "access backlog call decode door listen machine operation reply"},
	"server/hook": {dir: in + "server/hook", own: "hook process reasons server silence toolcall"},
	"server/noun": {dir: in + "server/noun", own: "named operations server silence"},
	"telegram": {dir: in + "channel/telegram", own: "account address callback command direct first link markdown " +
		"poll render stamp thing thread trouble twice update whole"},
	"view":     {dir: "coordinator/view", own: "view"},
	"web":      {dir: in + "channel/web", own: "act form listen live printed read route secure thing view web"},
	"page":     {dir: in + "page", own: "card highlight markdown now page settings sheet tabs templates thing view"},
	"terminal": {dir: "coordinator/terminal", own: "log page qr thing"},
	"cmd": {dir: "cmd/afar", prefix: "cmd_", own: "call config demo hold installservice lock logs pin restart " +
		"serve start statusline stop uninstall update version"},
}

func TestFeatures(t *testing.T) {
	for _, breach := range checkFeatures(os.DirFS(moduleRoot(t)), features, layers) {
		t.Error(breach)
	}
}

// unlisted follows the name of a file in a breach.
const unlisted = " is neither a file of a feature of its layer nor one of the layer itself"

// checkFeatures returns the missing files, and the files that belong neither to a feature of
// their layer nor to the layer itself.
func checkFeatures(tree fs.FS, features map[string]string, layers map[string]layer) (breaches []string) {
	wanted := map[string]string{} // what a file is for, by its path
	for name, l := range layers {
		for _, own := range strings.Fields(l.own) {
			wanted[l.path(own)] = "the layer " + name
		}
	}
	for feature, places := range features {
		for _, place := range strings.Fields(places) {
			wanted[pathOf(feature, place, layers)] = "the feature " + feature
		}
	}
	for file, what := range wanted {
		if _, err := fs.Stat(tree, file); err != nil && !onSomeSystem(tree, file) {
			breaches = append(breaches, fmt.Sprintf("%s is missing: %s has a file there", file, what))
		}
	}
	for _, l := range layers {
		files, _ := fs.Glob(tree, l.path("*"))
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") && !listed(wanted, file) {
				breaches = append(breaches, file+unlisted)
			}
		}
	}
	slices.Sort(breaches)
	return breaches
}

func (l layer) path(name string) string { return path.Join(l.dir, l.prefix+name+".go") }

// pathOf returns the file that a feature has in a place.
func pathOf(feature, place string, layers map[string]layer) string {
	if name, ok := strings.CutPrefix(place, "cmd:"); ok {
		return layers["cmd"].path(name)
	}
	if l, ok := layers[place]; ok {
		return l.path(feature)
	}
	return in + place + ".go"
}

// onSomeSystem reports whether a file has versions for systems, such as group_unix.go.
func onSomeSystem(tree fs.FS, file string) bool {
	files, _ := fs.Glob(tree, strings.TrimSuffix(file, ".go")+"_*.go")
	return len(files) > 0
}

// listed reports whether a file is in wanted, or its name begins with one that is.
func listed(wanted map[string]string, file string) bool {
	for base := strings.TrimSuffix(file, ".go"); ; {
		if wanted[base+".go"] != "" {
			return true
		}
		i := strings.LastIndexByte(base, '_')
		if i < 0 {
			return false
		}
		base = base[:i]
	}
}

// TestFeaturesFinds: the check finds a missing file, a file without a feature, and a file in
// a layer that its feature does not list.
func TestFeaturesFinds(t *testing.T) {
	ls := map[string]layer{
		"wire":  {dir: "coordinator/wire", own: "wire"},
		"hooks": {dir: "hooks", own: "group"},
		"cmd":   {dir: "cmd/afar", prefix: "cmd_"},
	}
	fts := map[string]string{"ask": "wire hooks cmd:asks", "loop": "wire loop/loop"}
	good := []string{
		"coordinator/wire/wire.go", "coordinator/wire/ask.go", "coordinator/wire/ask_state.go",
		"coordinator/wire/loop.go", "coordinator/internal/loop/loop.go", "hooks/ask.go", "hooks/group_unix.go",
		"hooks/odd_test.go", "cmd/afar/cmd_asks.go", "cmd/afar/page.go",
	}
	for change, want := range map[string]string{
		"":                           "",
		"-hooks/ask.go":              "hooks/ask.go is missing: the feature ask has a file there",
		"-coordinator/wire/wire.go":  "coordinator/wire/wire.go is missing: the layer wire has a file there",
		"+hooks/loop.go":             "hooks/loop.go" + unlisted,
		"+cmd/afar/cmd_riddle.go":    "cmd/afar/cmd_riddle.go" + unlisted,
		"+coordinator/wire/asked.go": "coordinator/wire/asked.go" + unlisted,
	} {
		files := map[string]bool{}
		for _, file := range good {
			files[file] = true
		}
		if change != "" {
			files[change[1:]] = change[0] == '+'
		}
		tree := fstest.MapFS{}
		for file := range maps.Keys(files) {
			if files[file] {
				tree[file] = &fstest.MapFile{}
			}
		}
		if have := strings.Join(checkFeatures(tree, fts, ls), "\n"); have != want {
			t.Errorf("%q: have %q, want %q", change, have, want)
		}
	}
}
