package rules

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode"
)

// The import table of the module says which package may import which. The test parses the
// files itself: with `go list`, go test would answer from its cache after a file has
// changed.

const (
	in      = "coordinator/internal/"
	standin = "coordinator/standin/"
	// agents has the adapters of the agents below it.
	agents = "coordinator/host"
	door   = in + "server/door"
	codex  = agents + "/codex/appserver"
	// claude is the package for Claude Code.
	claude   = "coordinator/host/claude"
	guard    = "coordinator/guard/"
	hostjson = guard + "hostjson"
	// programs has the families of programs that the guard understands.
	programs = guard + "understand/programs/"
)

// inGuard are the inner packages of the guard, the lowest first.
var inGuard = []string{
	guard + "lex", guard + "pageaddr", guard + "partial", guard + "fspath", guard + "protected", guard + "effect",
	guard + "understand/argv", guard + "understand/shell/expand", guard + "understand/shell/grammar",
	guard + "understand/shell", guard + "understand/powershell", guard + "understand/sql",
	guard + "understand/rows", guard + "understand/recipes", guard + "understand/verbs", guard + "understand/web",
	guard + "understand/here", programs + "secret", guard + "understand/script", programs + "hosted",
	programs + "database", guard + "understand/source", programs + "coreutils", programs + "git", programs + "build",
	programs + "interpreter", programs + "machine", programs + "network", guard + "understand/agents",
	programs + "wrapper", guard + "understand", guard + "judge",
}

// The folders with tests and no other Go files: the rules that the source keeps, the coordinator
// as a process, and the plugin on the real Claude Code.
const (
	rulesRoom = "coordinator/rules"
	daemonE2E = "coordinator/e2e"
	claudeE2E = "plugin/e2e"
)

var onlyTests = []string{rulesRoom, daemonE2E, claudeE2E}

// inHooks are the packages that are linked into the hook binaries.
var inHooks = append([]string{hostjson}, leanInHooks...)

// leanInHooks are the packages in the hooks that may not import encoding/json.
var leanInHooks = append([]string{
	"hooks", "hooks/judge", claude, claude + "/hookoutput", "coordinator/callsite", "coordinator/client",
	"coordinator/birthmark", "coordinator/gitfilter", "coordinator/guard", "coordinator/home", "coordinator/ledger",
	"coordinator/policy",
	"coordinator/roomy", "coordinator/toml", "coordinator/wire", in + "atomicfile", in + "crash",
}, inGuard...)

// common are the packages that every package may import. They are pure, import no package
// of this module, and are linked into the hooks.
var common = []string{"coordinator/text"}

// pure are the packages that do not read the clock and do no I/O.
var pure = append([]string{
	"coordinator/wire", "coordinator/guard", agents, agents + "/acp", agents + "/agents", codex,
	agents + "/jsonrpc", hostjson, claude + "/headless", claude + "/hookcall", in + "ask", in + "review", in + "grant",
	in + "loop", in + "markdown", in + "session", "coordinator/qrcode", "coordinator/redact", "coordinator/text",
	"coordinator/terminal", "coordinator/toml", "coordinator/view", "coordinator/wording", in + "event", in + "channel", in + "message",
	in + "page", in + "signin", in + "fleet",
	in + "topic", in + "approved", in + "background", in + "memory", in + "module", in + "run", in + "task",
	in + "trigger", in + "turn",
	in + "undo", in + "usage",
}, inGuard...)

// forStandins are what stand-ins may import: the mark of long tests, the place of the source, the
// birthmark of a coordinator, and for a client that runs hooks, their forms.
var forStandins = []string{
	standin + "long", standin + "repository", "coordinator/birthmark", agents, claude, claude + "/hookcall",
}

// named are packages that are not pure, of which pure ones use only the names and versions.
var named = []string{claude}

// waysIn are the packages that take requests from outside and pass them to core.
var waysIn = []string{
	in + "server", door, in + "server/hook", in + "server/noun", in + "channel/telegram", in + "channel/web",
	in + "channel/hub",
}

// forTests are the packages that only tests import: a channel, and what every channel
// must do.
var forTests = []string{in + "channel/loopback", in + "channel/conformance"}

// workers are the packages that run next to the server until the coordinator ends. They
// carry out the actions of one lane of core, or report to core what they see.
var workers = []string{
	in + "backgroundwork", in + "issuework", in + "memorywork", in + "modulework", in + "runwork", in + "sessionwatch",
	in + "taskwork", in + "triggerwork", in + "undowork", in + "upkeep", in + "fleetwork",
}

// aboveCore are the packages that may import core.
var aboveCore = slices.Concat([]string{"coordinator", in + "feature"}, waysIn, forTests, workers)

// A rules value is a whole table. A package has the name of its directory in the module. A
// name may be a pattern of path.Match.
type rules struct {
	ours    map[string][]string // the packages of this module that each package may import
	inTests map[string][]string // what its tests may import in addition, including third-party modules
	bans    []ban
	pure    []string            // may import only pureStd, and not use the clock
	std     []stdBan            // bans of standard packages
	owners  map[string]string   // third-party module: the one package that may import it, with those below it
	tests   map[string]struct{} // third-party modules that only tests import
}

// A ban forbids an import even if the table allows it.
type ban struct {
	to   string
	only []string // the packages and files that may import it
	why  string
}

// A stdBan forbids standard packages in some packages.
type stdBan struct {
	in    []string
	paths []string
	why   string
}

// pureStd are the standard packages that a pure package may import.
var pureStd = []string{
	"bytes", "cmp", "crypto/sha256", "crypto/subtle", "embed", "encoding", "encoding/base64", "encoding/hex",
	"encoding/json", "errors", "fmt", "html", "html/template", "io", "io/fs", "iter", "maps", "math", "net/netip",
	"net/url", "path", "reflect", "regexp", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf16",
	"unicode/utf8",
}

// clock are the names of package time that read or wait for the clock.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

func table() rules {
	domain := []string{
		in + "approved", in + "ask", in + "background", in + "channel", in + "event", in + "review", in + "grant", in + "loop",
		in + "message", in + "module", in + "run", "coordinator/redact", in + "session", in + "signin", in + "task",
		in + "topic", in + "trigger", in + "turn", in + "undo",
		in + "usage", in + "fleet",
	}
	root := slices.Concat(waysIn, workers, []string{
		"coordinator/agentcheck", "coordinator/agentrun", in + "module", in + "run", in + "tools", in + "trigger",
		"coordinator/host/agents", claude + "/transcript", in + "core", in + "event", in + "feature", in + "fleet",
		in + "git", in + "link", in + "toolcall", in + "workplace",
		in + "ask", in + "channel", in + "child", in + "random", in + "session", in + "store", in + "task",
		"coordinator/birthmark", "coordinator/config", "coordinator/consult", "coordinator/home", "coordinator/logfile",
		"coordinator/peer", "coordinator/redact", "coordinator/view", "coordinator/wall", "coordinator/wire",
	})
	reading := slices.Clip([]string{
		guard + "effect", guard + "fspath", guard + "lex", guard + "pageaddr", guard + "partial", guard + "protected",
		guard + "understand/shell/expand",
	})
	return rules{
		ours: map[string][]string{
			"cmd/afar": {
				"coordinator", "coordinator/agentcheck", "coordinator/agentguard", "coordinator/agentrun", "coordinator/birthmark",
				"coordinator/callsite", "coordinator/cannotstart", claude, "coordinator/client", "coordinator/config",
				"coordinator/consult", "coordinator/demo", "coordinator/doctor", "coordinator/guard", hostjson,
				"coordinator/home", "coordinator/hostfile", "coordinator/issues", "coordinator/logfile", claude + "/mods",
				"coordinator/peer",
				"coordinator/policy", "coordinator/redact", "coordinator/repair", "coordinator/service",
				"coordinator/terminal", "coordinator/terminal/watch", "coordinator/toml", "coordinator/wall", "coordinator/wire",
				"coordinator/view", "coordinator/wording",
			},
			"coordinator/doctor": {
				"coordinator/agentcheck", "coordinator/agentguard", claude, claude + "/mods", claude + "/probe",
				"coordinator/client",
				"coordinator/config", "coordinator/home", "coordinator/logfile", "coordinator/peer",
				"coordinator/policy", "coordinator/redact", "coordinator/repair", "coordinator/service",
				"coordinator/wall", "coordinator/wire",
			},
			"coordinator/agentguard": {hostjson, "coordinator/home", "coordinator/hostfile", "coordinator/text"},
			"coordinator/hostfile":   {"coordinator/home"},
			"coordinator/service":    {"coordinator/home"},
			"cmd/agent-run":          {"coordinator/agentrun", "coordinator/relay"},
			"cmd/fleet-server":       {"coordinator/fleetserver"},
			"cmd/hook-*":             {"hooks", "hooks/agentguard", "hooks/judge"},
			"hooks": {
				claude, hostjson, claude + "/hookoutput", "coordinator/birthmark", "coordinator/client", "coordinator/home",
				"coordinator/ledger", "coordinator/roomy", "coordinator/wire",
			},
			"hooks/agentguard": {
				hostjson, claude, claude + "/hookcall", "coordinator/text", "coordinator/wire", "hooks",
			},
			"hooks/judge": {"coordinator/guard", "coordinator/callsite", "coordinator/wire", "hooks"},

			"coordinator": root,
			"coordinator/cannotstart": {
				"coordinator/config", "coordinator/home", in + "channel/telegram", in + "store",
			},

			claude:               {},
			"coordinator/client": {"coordinator/home", "coordinator/wire"},
			"coordinator/guard": {
				hostjson, guard + "effect", guard + "judge", guard + "lex", guard + "pageaddr", guard + "partial",
				guard + "protected",
				guard + "understand", guard + "understand/shell", guard + "understand/shell/grammar",
			},
			"coordinator/demo": {claude + "/sandbox", "coordinator/wire", "coordinator/wording"},
			"coordinator/agentcheck": {
				"coordinator/agentrun", "coordinator/config", "coordinator/home", claude, hostjson, agents + "/agents",
				"coordinator/wire", "coordinator/wording", in + "child",
			},
			"coordinator/agentrun": {
				claude, claude + "/hookcall", hostjson, claude + "/sessions", agents, agents + "/agents",
				"coordinator/birthmark", "coordinator/client", "coordinator/home", "coordinator/ledger", "coordinator/peer",
				"coordinator/wall", "coordinator/wire", in + "child", in + "disk", in + "renewal", in + "run", in + "session",
			},
			"coordinator/ledger":  {},
			"coordinator/logfile": {},
			"coordinator/wall":    {claude, "coordinator/home", "coordinator/wire"},
			"coordinator/relay":   {"coordinator/client", "coordinator/home", "coordinator/wire"},
			claude + "/mods":      {},
			"coordinator/home":    {claude, in + "atomicfile"},
			"coordinator/callsite": {
				"coordinator/birthmark", "coordinator/gitfilter", "coordinator/guard", "coordinator/home",
				"coordinator/policy",
			},
			claude + "/probe":   {claude + "/sandbox"},
			claude + "/sandbox": {"coordinator/client", "coordinator/home"},
			"coordinator/policy": {
				"coordinator/guard", "coordinator/home", "coordinator/toml", "coordinator/wire", in + "atomicfile",
			},
			hostjson:               {},
			agents:                 {hostjson, in + "run"},
			agents + "/acp":        {agents, agents + "/jsonrpc", claude, hostjson, in + "run", "coordinator/wire"},
			agents + "/agents":     {agents, agents + "/acp", codex, claude + "/headless"},
			codex:                  {agents, agents + "/jsonrpc", claude, hostjson, in + "run", "coordinator/wire"},
			agents + "/jsonrpc":    {hostjson, "coordinator/wire"},
			claude + "/headless":   {agents, claude, hostjson, in + "run"},
			claude + "/hookcall":   {claude, hostjson, "coordinator/wire"},
			claude + "/hookinput":  {claude, in + "ask", in + "session"},
			claude + "/suggestion": {"coordinator/redact", hostjson, in + "atomicfile"},
			claude + "/hookoutput": {hostjson, "coordinator/wire"},
			"coordinator/qrcode":   {},
			"coordinator/roomy":    {},
			"coordinator/terminal": {"coordinator/qrcode", "coordinator/view", "coordinator/wire", "coordinator/wording"},
			"coordinator/terminal/watch": {
				"coordinator/terminal", "coordinator/view", "coordinator/wire", "coordinator/wording",
			},
			"coordinator/text":    {},
			"coordinator/toml":    {},
			"coordinator/wire":    {},
			"coordinator/view":    {"coordinator/wire", "coordinator/wording"},
			"coordinator/wording": {"coordinator/wire", in + "run"},

			// Only effects connect the reading of a call with its judgement.
			guard + "lex":       {},
			guard + "pageaddr":  {guard + "lex"},
			guard + "partial":   {},
			guard + "fspath":    {guard + "lex", guard + "partial"},
			guard + "protected": {guard + "fspath", guard + "lex", guard + "partial"},
			guard + "effect":    {guard + "lex", guard + "partial"},
			guard + "judge": {
				guard + "effect", guard + "fspath", guard + "lex", guard + "pageaddr", guard + "partial",
				guard + "protected",
			},

			guard + "understand/argv":          {guard + "lex"},
			guard + "understand/shell/expand":  {guard + "partial"},
			guard + "understand/shell/grammar": {guard + "lex", guard + "partial"},
			guard + "understand/shell":         append(reading, guard+"understand/argv", guard+"understand/shell/grammar"),
			guard + "understand/powershell": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/shell",
			}),
			guard + "understand/sql": append(reading, guard+"understand/shell"),
			guard + "understand/rows": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/shell", guard + "understand/sql",
			}),
			guard + "understand/recipes": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/rows", guard + "understand/shell",
			}),
			guard + "understand/verbs": {guard + "lex"},
			guard + "understand/web":   append(reading, guard+"understand/shell", guard+"understand/verbs"),
			guard + "understand/here": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/rows", guard + "understand/shell",
				guard + "understand/web",
			}),
			programs + "secret": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/rows", guard + "understand/shell",
				guard + "understand/web",
			}),
			guard + "understand/script": slices.Concat(reading, []string{
				guard + "understand/shell", guard + "understand/sql", guard + "understand/verbs",
				guard + "understand/web",
			}),
			programs + "hosted": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/here", programs + "secret", guard + "understand/rows",
				guard + "understand/script", guard + "understand/shell", guard + "understand/sql",
				guard + "understand/verbs", guard + "understand/web",
			}),
			programs + "database": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/here", programs + "hosted", programs + "secret",
				guard + "understand/recipes", guard + "understand/rows", guard + "understand/script",
				guard + "understand/shell", guard + "understand/sql", guard + "understand/verbs",
				guard + "understand/web",
			}),
			guard + "understand/source": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/recipes", guard + "understand/rows",
				guard + "understand/script", guard + "understand/shell", guard + "understand/web",
			}),
			programs + "coreutils": slices.Concat(reading, []string{
				guard + "understand/argv", programs + "hosted", programs + "secret", guard + "understand/recipes",
				guard + "understand/rows", guard + "understand/script", guard + "understand/shell",
				guard + "understand/source",
			}),
			programs + "git": slices.Concat(reading, []string{
				guard + "understand/argv", programs + "coreutils", programs + "secret", guard + "understand/recipes",
				guard + "understand/rows", guard + "understand/shell", guard + "understand/web",
			}),
			programs + "build": slices.Concat(reading, []string{
				hostjson, guard + "understand/argv", programs + "git", programs + "hosted", programs + "secret",
				guard + "understand/recipes", guard + "understand/rows", guard + "understand/shell",
				guard + "understand/source", guard + "understand/web",
			}),
			programs + "interpreter": slices.Concat(reading, []string{
				guard + "understand/argv", programs + "build", programs + "database", programs + "secret",
				guard + "understand/recipes", guard + "understand/rows", guard + "understand/script",
				guard + "understand/shell", guard + "understand/source",
			}),
			programs + "machine": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/here", programs + "hosted", programs + "secret",
				guard + "understand/recipes", guard + "understand/rows", guard + "understand/script",
				guard + "understand/shell", guard + "understand/source", guard + "understand/verbs",
			}),
			programs + "network": slices.Concat(reading, []string{
				guard + "understand/argv", programs + "coreutils", programs + "database", programs + "hosted",
				programs + "secret", guard + "understand/rows", guard + "understand/shell", guard + "understand/sql",
				guard + "understand/verbs", guard + "understand/web",
			}),
			guard + "understand/agents": slices.Concat(reading, []string{
				hostjson, guard + "understand/argv", guard + "understand/powershell", programs + "database",
				programs + "machine", programs + "network", programs + "secret", guard + "understand/recipes",
				guard + "understand/rows", guard + "understand/script", guard + "understand/shell",
				guard + "understand/source", guard + "understand/sql", guard + "understand/verbs",
				guard + "understand/web",
			}),
			programs + "wrapper": slices.Concat(reading, []string{
				guard + "understand/argv", guard + "understand/powershell", programs + "build",
				programs + "coreutils", programs + "hosted", programs + "network", programs + "secret",
				guard + "understand/recipes", guard + "understand/rows", guard + "understand/script",
				guard + "understand/shell", guard + "understand/source",
			}),
			guard + "understand": slices.Concat(reading, []string{
				hostjson, guard + "understand/agents", guard + "understand/argv", guard + "understand/here",
				guard + "understand/powershell", programs + "build", programs + "coreutils", programs + "database",
				programs + "git", programs + "hosted", programs + "interpreter", programs + "machine",
				programs + "network", programs + "secret", programs + "wrapper", guard + "understand/rows",
				guard + "understand/shell", guard + "understand/source", guard + "understand/verbs",
			}),

			in + "background":    {},
			in + "session":       {},
			in + "markdown":      {"coordinator/redact"},
			"coordinator/redact": {},
			in + "channel":       {in + "ask", in + "event", in + "session", "coordinator/wire"},
			in + "usage":         {},
			in + "signin":        {"coordinator/redact"},
			in + "topic":         {},
			in + "loop":          {in + "markdown", in + "session", in + "usage"},
			in + "event":         {in + "session"},
			in + "memory":        {in + "markdown"},
			in + "message":       {in + "session"},
			in + "page": {
				"coordinator/qrcode", "coordinator/redact", "coordinator/view", "coordinator/wire", "coordinator/wording",
			},
			in + "review": {in + "event"},
			in + "run":    {in + "session"},
			in + "task":   {in + "ask", in + "markdown", in + "run"},
			in + "grant":  {"coordinator/redact", in + "session"},
			in + "ask":    {in + "grant", "coordinator/redact", in + "run", in + "session"},
			in + "turn":   {in + "loop", in + "session"},
			in + "undo":   {in + "ask", in + "session"},

			in + "approved": {},
			in + "module":   {in + "approved", in + "run", "coordinator/toml"},
			in + "trigger":  {in + "approved", in + "markdown", in + "message", "coordinator/redact", in + "run"},

			in + "store": {
				in + "ask", in + "background", in + "channel", in + "crash", in + "event", in + "fleet", in + "grant", in + "loop",
				in + "memory", in + "message", in + "module", in + "run", in + "session",
				in + "signin", in + "task", in + "topic", in + "trigger", in + "undo", in + "usage",
			},
			in + "recall": {in + "store"},
			in + "wake":   {},
			in + "table":  {in + "store", in + "wake"},
			in + "core":   append([]string{in + "memory", in + "store", in + "table", in + "wake"}, domain...),
			in + "feature": append([]string{
				in + "core", in + "memory", in + "store", in + "table", in + "wake", "coordinator/text",
			}, domain...),

			in + "toolcall": {
				"coordinator/callsite", "coordinator/guard", "coordinator/home", "coordinator/redact", in + "ask", in + "disk",
				in + "grant", in + "undo",
			},
			in + "workplace": {
				claude, claude + "/mods", "coordinator/home", "coordinator/redact", in + "loop", in + "session",
				in + "toolcall", in + "usage",
			},
			in + "callers":  {"coordinator/birthmark", "coordinator/peer", in + "session"},
			in + "opinions": {"coordinator/peer", in + "review", in + "session"},
			in + "server": {
				door, in + "server/hook", in + "server/noun", in + "callers", in + "core", in + "feature", in + "session",
				in + "workplace", "coordinator/wire",
			},
			door: {
				hostjson, "coordinator/home", "coordinator/ledger", "coordinator/peer", "coordinator/redact",
				"coordinator/roomy", "coordinator/wire", in + "ask", in + "callers", in + "channel", in + "core", in + "feature", in + "event",
				in + "fleet", in + "loop", in + "run", in + "session", in + "topic", in + "undo",
			},
			in + "server/hook": append([]string{
				agents + "/agents", claude, claude + "/hookinput", claude + "/suggestion", "coordinator/callsite",
				"coordinator/guard", hostjson, "coordinator/home", "coordinator/ledger", "coordinator/peer", "coordinator/wall",
				"coordinator/wire", door, in + "callers", in + "core", in + "feature", in + "opinions", in + "toolcall", in + "workplace",
			}, domain...),
			in + "server/noun": append([]string{
				agents, agents + "/agents", claude, claude + "/hookinput", claude + "/suggestion", "coordinator/home",
				"coordinator/peer", "coordinator/policy", "coordinator/wall", "coordinator/wire", door, in + "callers",
				in + "core", in + "feature", in + "markdown", in + "memory", in + "random", in + "toolcall", in + "workplace",
			}, domain...),
			in + "channel/telegram": append([]string{
				in + "atomicfile", "coordinator/config", in + "core", in + "feature", in + "random", in + "store", "coordinator/view",
				"coordinator/wire", "coordinator/wording",
			}, domain...),
			in + "channel/web": {
				"coordinator/config", "coordinator/peer", "coordinator/wire", in + "ask", in + "channel", in + "child",
				in + "core", in + "feature", in + "event", in + "page", in + "run", in + "session", in + "signin", in + "store",
				"coordinator/redact", "coordinator/view", "coordinator/wording",
			},
			in + "channel/conformance": append([]string{in + "core", in + "feature", in + "store"}, domain...),
			in + "fleet":               {in + "ask", in + "channel", in + "run", in + "session"},
			in + "channel/hub":         append([]string{in + "core", in + "feature", in + "link", in + "store"}, domain...),
			in + "fleetwork": append([]string{
				in + "core", in + "feature", in + "link", in + "random", in + "store", "coordinator/wire",
			}, domain...),
			in + "channel/loopback": append([]string{
				in + "channel/conformance", in + "core", in + "feature", in + "store",
			}, domain...),

			in + "backgroundwork": {"coordinator/consult", in + "background", in + "core", in + "feature", in + "schema"},
			in + "issuework": {
				"coordinator/config", "coordinator/consult", "coordinator/home", "coordinator/redact", in + "core", in + "feature",
				in + "event", in + "git", in + "land", in + "loop", in + "store", in + "tracker",
			},
			in + "sessionwatch": {
				"coordinator/home", claude, claude + "/hookinput", claude + "/sessions", claude + "/transcript",
				"coordinator/peer", "coordinator/redact", in + "ask", in + "core", in + "message", in + "session",
			},
			in + "runwork": {
				"coordinator/home", "coordinator/peer", in + "child", in + "core", in + "event", in + "git",
				"coordinator/redact", in + "run", in + "session", in + "store",
			},
			in + "taskwork": {
				"coordinator/consult", in + "background", in + "schema",
				in + "ask", in + "atomicfile", in + "core", in + "feature", in + "disk", in + "markdown", in + "message", in + "run",
				in + "session", in + "store", in + "task",
			},
			in + "memorywork": {
				"coordinator/home", in + "atomicfile", in + "core", in + "feature", in + "disk", in + "event", in + "markdown",
				in + "memory", in + "message", in + "run", in + "schema", in + "session", in + "store", in + "task",
				"coordinator/redact",
			},
			in + "modulework": {
				claude, "coordinator/home", "coordinator/peer", "coordinator/redact", "coordinator/wall", "coordinator/wire",
				in + "child", in + "core", in + "feature", in + "disk", in + "module",
			},
			in + "triggerwork": {
				"coordinator/home", "coordinator/redact", "coordinator/wall", in + "ask", in + "atomicfile", in + "child", in + "core", in + "feature",
				in + "disk", in + "message", in + "random", in + "run", in + "session", in + "store", in + "trigger",
			},
			in + "undowork": {in + "core", in + "feature", in + "git", in + "store", in + "undo"},
			in + "upkeep": {
				claude, claude + "/mods", claude + "/sessions", claude + "/transcript", "coordinator/consult",
				"coordinator/home", "coordinator/ledger", "coordinator/wire", in + "atomicfile", in + "channel", in + "core", in + "feature",
				in + "disk", in + "event", in + "loop", in + "session", in + "store",
			},

			in + "schema": {},
			in + "tools":  {"coordinator/peer", "coordinator/wire", in + "atomicfile", in + "random", in + "schema"},

			in + "random": {},
			in + "link":   {"coordinator/fleetserver", in + "atomicfile"},

			"coordinator/fleetserver": {},

			in + "atomicfile":       {in + "crash"},
			in + "crash":            {},
			"coordinator/birthmark": {},
			"coordinator/gitfilter": {},
			in + "child":            {"coordinator/birthmark", "coordinator/wall"},
			in + "renewal":          {claude, "coordinator/wall", in + "child"},
			"coordinator/config":    {"coordinator/toml", "coordinator/wall", in + "atomicfile", in + "run"},
			"coordinator/consult": {
				"coordinator/birthmark", "coordinator/home", "coordinator/wall", "coordinator/wire", in + "child", in + "git",
				in + "renewal", in + "schema",
			},
			"coordinator/issues": {
				"coordinator/config", "coordinator/consult", "coordinator/home", "coordinator/wire", in + "git",
				in + "tracker",
			},
			"coordinator/repair": {
				"coordinator/home", "coordinator/text", in + "ask", in + "channel", in + "grant", in + "loop",
				in + "approved", in + "message", in + "module", in + "run", in + "signin", in + "store",
				in + "trigger",
			},
			in + "disk":            {},
			claude + "/sessions":   {"coordinator/peer", in + "disk"},
			claude + "/transcript": {in + "disk", in + "usage"},
			in + "git": {
				claude, "coordinator/gitfilter", "coordinator/home", "coordinator/wall", in + "atomicfile", in + "child",
			},
			in + "land":        {in + "git"},
			"coordinator/peer": {claude, "coordinator/birthmark"},
			in + "tracker":     {"coordinator/home", in + "child", in + "markdown"},

			rulesRoom: {},
			daemonE2E: {},
			claudeE2E: {},

			standin + "agent":      {agents, claude, claude + "/hookcall"},
			standin + "botapi":     {},
			standin + "browser":    {standin + "long"},
			standin + "calls":      {standin + "repository"},
			standin + "consultant": {},
			standin + "gitrepo":    {"coordinator/birthmark"},
			standin + "host":       {claude, standin + "long", standin + "repository"},
			standin + "long":       {},
			standin + "model":      {},
			standin + "netproxy":   {},
			standin + "repository": {},
			standin + "stray":      {},
			standin + "tracker":    {},
		},
		inTests: map[string][]string{
			in + "core": {in + "feature"}, // nothing else stands beside it
			// the benchmarks compare with the shell's parser
			"coordinator/guard": {"mvdan.cc/sh/v3"},
			"*": {
				standin + "agent", standin + "botapi", standin + "browser", standin + "calls", standin + "consultant",
				standin + "gitrepo", standin + "host", standin + "long", standin + "model", standin + "netproxy",
				standin + "repository",
				standin + "stray", standin + "tracker",
				"github.com/creack/pty",
			},
			"cmd/afar": {"hooks", "github.com/modelcontextprotocol/go-sdk"},
			// the tests use inputs in the host's form
			in + "ask":             {claude + "/hookinput"},
			claude + "/hookoutput": {claude},
			claude + "/hookcall":   {claude + "/hookoutput"},
			// the tests use a real coordinator and a real guard
			"hooks":   {"coordinator", "coordinator/guard", "hooks/judge"},
			claudeE2E: {claude, claude + "/probe", "coordinator/wall", "coordinator/wire"},
			// the tests compare grants with the guard's verdicts
			in + "grant": {"coordinator/guard"},
			// the tests use two channels at once
			in + "channel/telegram": append([]string{
				claude + "/hookinput", in + "memorywork", in + "modulework", in + "server",
				in + "taskwork", in + "triggerwork", "coordinator/home",
			}, forTests...),
			in + "channel/web": append([]string{
				in + "memorywork", in + "module", in + "modulework", in + "server", in + "session", in + "taskwork",
				in + "triggerwork", in + "usage", "coordinator/home",
			}, forTests...),
			// the tests write into the database
			in + "upkeep": {in + "ask"},
			// the tests play a member
			in + "fleetwork": {in + "channel/hub"},
			// the tests play a cluster of others
			in + "link": {"github.com/nats-io/nats-server/v2"},
			// the tests hold questions
			in + "table": {in + "ask"},
			// the tests wait for any change
			in + "taskwork": {in + "wake"},
			// the tests use the file of gaps
			in + "memorywork": {in + "taskwork"},
			// the tests use a real transcript
			in + "server": {claude + "/transcript"},
			// the tests decode an input of the host
			door: {claude + "/hookinput"},
			// the tests look at what it was given
			"coordinator": {in + "memory", in + "message"},
			// the tests start it by a client
			daemonE2E: {
				claude + "/hookinput", "coordinator/birthmark", "coordinator/client", "coordinator/home",
				"coordinator/ledger", "coordinator/wire", in + "event", in + "link", in + "message", in + "store",
				"golang.org/x/sys", // networks of their own
			},
		},
		bans: []ban{
			{
				in + "core", aboveCore,
				"only ways in, workers and the composition root call core; core calls back functions",
			},
			{
				in + "feature", slices.DeleteFunc(slices.Clone(aboveCore), func(p string) bool { return p == in+"feature" }),
				"what is beside core has the callers that core has",
			},
			{in + "server", []string{"coordinator"}, "ways in never import each other"},
			{in + "server/hook", []string{"coordinator", in + "server"}, "what hooks ask and what people ask share the door alone"},
			{in + "server/noun", []string{"coordinator", in + "server"}, "what hooks ask and what people ask share the door alone"},
			{
				in + "channel/telegram", []string{"coordinator", "coordinator/cannotstart"},
				"ways in never import each other",
			},
			{in + "channel/web", []string{"coordinator"}, "ways in never import each other"},
			{in + "channel/loopback", nil, "no coordinator runs this channel"},
			{in + "channel/conformance", []string{in + "channel/loopback"}, "the suite is for tests"},
			{
				"coordinator", []string{"cmd/afar/cmd_serve.go"},
				"only `afar serve` makes a coordinator; other commands use client",
			},
			{"hooks", []string{"cmd/hook-*", "hooks/agentguard", "hooks/judge"}, "the hooks are the outermost layer"},
			{
				guard + "[^h]*", append([]string{"coordinator/guard"}, inGuard...),
				"packages outside the guard import only coordinator/guard, and its reader of JSON",
			},
			{
				guard + "understand/*", append([]string{"coordinator/guard"}, inGuard...),
				"packages outside the guard import only coordinator/guard",
			},
			{standin + "*", []string{standin + "host", standin + "calls", standin + "browser"}, "a stand-in is for tests"},
		},
		pure: pure,
		std: []stdBan{
			{
				pure, []string{"os", "net", "net/http", "os/exec", "database/sql"},
				"a pure package does no I/O",
			},
			{pure, []string{"log", "log/slog"}, "a pure package returns what there is to say"},
			{pure, []string{"context", "sync"}, "a pure package has no goroutine and waits for nothing"},
			{pure, []string{"math/rand", "math/rand/v2", "crypto/rand"}, "chance is passed in"},
			{
				leanInHooks, []string{"encoding/json"},
				"it costs time on every tool call; wire.Object writes, hostjson reads",
			},
			{inHooks, []string{"net/http", "log/slog"}, "a hook costs what a process start costs"},
			{inHooks, []string{"regexp"}, "compiling patterns at start costs every hook"},
		},
		owners: map[string]string{
			"github.com/creack/pty":            "coordinator/demo",
			"github.com/spf13/cobra":           "cmd/afar",
			"golang.org/x/term":                "cmd/afar",
			"charm.land/bubbletea/v2":          "coordinator/terminal/watch",
			"github.com/charmbracelet/x/ansi":  "coordinator/terminal",
			"rsc.io/qr":                        "coordinator/qrcode",
			"github.com/yuin/goldmark":         in + "page",
			"github.com/gofrs/flock":           "coordinator/home",
			"github.com/tidwall/gjson":         hostjson,
			"github.com/tidwall/sjson":         "coordinator/agentguard",
			"github.com/go-telegram/bot":       in + "channel/telegram",
			"github.com/aymanbagabas/go-udiff": in + "ask",
			"github.com/chromedp/cdproto":      standin + "browser",
			"github.com/chromedp/chromedp":     standin + "browser",
			"github.com/fsnotify/fsnotify":     in + "disk",
			"modernc.org/sqlite":               in + "store",

			"github.com/modelcontextprotocol/go-sdk": in + "tools",
			"github.com/google/jsonschema-go":        in + "schema",
			"github.com/adhocore/gronx":              in + "trigger",
			"github.com/kljensen/snowball":           in + "memory",
			"golang.org/x/time":                      in + "triggerwork",
			"mvdan.cc/sh/v3":                         guard + "understand/shell",
			"github.com/pelletier/go-toml/v2":        "coordinator/toml",
			"golang.org/x/sys":                       "coordinator/peer",
			"github.com/landlock-lsm/go-landlock":    "coordinator/wall",
			"github.com/nats-io/nats-server/v2":      "cmd/fleet-server",
			"github.com/nats-io/nats.go":             in + "link",
			"github.com/nats-io/nkeys":               in + "link",
		},
		tests: map[string]struct{}{
			"github.com/google/go-cmp": {}, "github.com/nats-io/jwt/v2": {}, "github.com/rogpeppe/go-internal": {},
			"go.uber.org/goleak": {}, "pgregory.net/rapid": {},
		},
	}
}

// never are the packages that no hook binary may link, directly or indirectly.
var never = map[string]string{
	"net/http":                   "starts slowly, and a hook speaks to one socket only",
	"database/sql":               "the database belongs to the coordinator",
	"log/slog":                   "a hook has no log",
	"crypto/sha256":              "twelve packages behind it are initialised at each start",
	"github.com/spf13/cobra":     "a hook has no commands",
	"modernc.org/sqlite":         "the database belongs to the coordinator",
	"github.com/go-telegram/bot": "the channel belongs to the coordinator",
	"github.com/nats-io":         "the link belongs to the coordinator",
}

func TestImports(t *testing.T) {
	root := moduleRoot(t)
	for _, breach := range table().check(os.DirFS(root)) {
		t.Error(breach)
	}
}

// judging are the hooks with a guard.
var judging = []string{
	"cmd/hook-agent", "cmd/hook-permission-request", "cmd/hook-pre-skill-shell-command", "cmd/hook-pre-tool-use", "cmd/hook-session-start",
	"cmd/hook-user-prompt-expansion",
}

// TestHooksLink: no hook binary links a package that slows the start of a process, and only
// the hooks that judge link the guard. The test follows the imports through this module, the
// module cache and the standard library, for each system that Afar is built for.
func TestHooksLink(t *testing.T) {
	root := moduleRoot(t)
	mods := requirements(t, root)
	all := glob(t, root, "cmd/hook-*")
	others := slices.DeleteFunc(slices.Clone(all), func(dir string) bool { return slices.Contains(judging, dir) })
	const parser = "mvdan.cc/sh/v3/syntax"
	for _, system := range []string{"linux", "darwin", "windows"} {
		t.Run(system, func(t *testing.T) {
			linked := func(dirs []string) *walker {
				w := &walker{root: root, module: moduleName(t, root), mods: mods, from: map[string]string{}}
				w.ctx = build.Default
				w.ctx.GOOS, w.ctx.GOARCH, w.ctx.CgoEnabled = system, "arm64", false
				for _, dir := range dirs {
					w.visit(t, w.module+"/"+dir, "")
				}
				return w
			}
			w := linked(all)
			if len(w.from) < 50 || w.from[parser] == "" {
				t.Fatalf("the walk is broken: it saw %d packages", len(w.from))
			}
			for p := range w.from {
				for bad, why := range never {
					if within(p, bad) {
						t.Errorf("hook binaries link %s (%s): %s", p, why, w.way(p))
					}
				}
			}
			if w := linked(others); w.from[parser] != "" {
				t.Errorf("a hook that judges nothing links the guard: %s", w.way(parser))
			}
		})
	}
}

// check returns every breach of the table in a tree, in order.
func (r rules) check(tree fs.FS) []string {
	c := checker{rules: r, module: nameOf(tree), used: map[string]bool{}}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(name) == ".go":
			return c.file(tree, name)
		}
		return nil
	})
	if err != nil {
		c.breach("%v", err)
	}
	c.unused(tree)
	slices.Sort(c.found)
	return c.found
}

type checker struct {
	rules
	module string
	used   map[string]bool // rows that have a package
	found  []string
}

func (c *checker) breach(format string, args ...any) {
	c.found = append(c.found, fmt.Sprintf(format, args...))
}

func (c *checker) file(tree fs.FS, name string) error {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		c.breach("%v", err)
		return nil
	}
	dir, inTest := path.Dir(name), strings.HasSuffix(name, "_test.go")
	row, ok := lookup(c.ours, dir)
	if !ok {
		c.breach("%s: package %s is not in the table", name, dir)
		return nil
	}
	c.used[row] = c.used[row] || !inTest || slices.Contains(onlyTests, row)
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		c.one(name, dir, p, inTest)
	}
	if !inTest && slices.Contains(c.pure, dir) {
		c.clock(name, f)
	}
	return nil
}

func (c *checker) one(name, dir, p string, inTest bool) {
	ours, isOurs := strings.CutPrefix(p, c.module+"/")
	switch {
	case isOurs && inTest:
		c.ourTest(name, dir, ours)
	case isOurs:
		c.ourOwn(name, dir, ours)
	case strings.Contains(strings.Split(p, "/")[0], "."):
		c.third(name, dir, p, inTest)
	case !inTest:
		c.standard(name, dir, p)
	}
}

func (c *checker) ourOwn(name, dir, p string) {
	for _, b := range c.bans {
		isAllowed := func(who string) bool { return match(who, dir) || who == name }
		if match(b.to, p) && !slices.ContainsFunc(b.only, isAllowed) {
			c.breach("%s: %s may not import %s: %s", name, dir, p, b.why)
			return
		}
	}
	if slices.Contains(common, p) {
		return
	}
	if row, _ := lookup(c.ours, dir); !slices.Contains(c.ours[row], p) {
		c.breach("%s: %s may not import %s: it is not in its row", name, dir, p)
	}
}

// ourTest checks an import in a test. A test may import its own package, every package
// that this one may reach, and those that the table adds for tests.
func (c *checker) ourTest(name, dir, p string) {
	row, _ := lookup(c.ours, dir)
	extra := slices.Concat(c.inTests[row], c.inTests["*"])
	if p == dir || slices.Contains(extra, p) || c.reach(row, map[string]bool{})[p] {
		return
	}
	for _, e := range extra {
		if c.reach(e, map[string]bool{})[p] {
			return
		}
	}
	c.breach("%s: tests of %s may not import %s", name, dir, p)
}

// reach adds the packages that a row may import, directly or indirectly.
func (c *checker) reach(row string, seen map[string]bool) map[string]bool {
	for _, p := range c.ours[row] {
		if !seen[p] {
			seen[p] = true
			c.reach(p, seen)
		}
	}
	return seen
}

func (c *checker) third(name, dir, p string, inTest bool) {
	for module, owner := range c.owners {
		if within(p, module) {
			row, _ := lookup(c.ours, dir)
			given := slices.Concat(c.inTests[row], c.inTests["*"])
			if !within(dir, owner) && !(inTest && slices.Contains(given, module)) {
				c.breach("%s: %s belongs to %s alone", name, module, owner)
			}
			return
		}
	}
	for module := range c.tests {
		if within(p, module) {
			if !inTest {
				c.breach("%s: %s is for tests", name, module)
			}
			return
		}
	}
	c.breach("%s: no package owns %s", name, p)
}

func (c *checker) standard(name, dir, p string) {
	for _, b := range c.std {
		if slices.Contains(b.in, dir) && slices.Contains(b.paths, p) {
			c.breach("%s: %s may not import %s: %s", name, dir, p, b.why)
			return
		}
	}
	if slices.Contains(c.pure, dir) && !slices.Contains(pureStd, p) {
		c.breach("%s: %s is pure, and %s is not in the list of what that allows", name, dir, p)
	}
}

// clock finds uses of the clock, called or passed on, under any import name.
func (c *checker) clock(name string, f *ast.File) {
	for _, spec := range f.Imports {
		if spec.Path.Value != `"time"` {
			continue
		}
		local := "time"
		if spec.Name != nil {
			local = spec.Name.Name
		}
		if local == "." {
			c.breach("%s: a dot import of time hides its clock", name)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if x, isName := selected(sel, ok); isName && x == local && slices.Contains(clock, sel.Sel.Name) {
				c.breach("%s: a pure package has no clock: time.%s", name, sel.Sel.Name)
			}
			return true
		})
	}
}

func selected(sel *ast.SelectorExpr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	x, isName := sel.X.(*ast.Ident)
	if !isName {
		return "", false
	}
	return x.Name, true
}

// unused reports rows that no file needs, and direct requirements that are not in the
// table.
func (c *checker) unused(tree fs.FS) {
	for row := range c.ours {
		if !c.used[row] {
			c.breach("the row %s has no package", row)
		}
	}
	for _, module := range direct(tree) {
		_, owned := c.owners[module]
		if _, test := c.tests[module]; !owned && !test {
			c.breach("go.mod: no package owns %s", module)
		}
	}
}

func lookup(rows map[string][]string, dir string) (string, bool) {
	if _, ok := rows[dir]; ok {
		return dir, true
	}
	for row := range rows {
		if match(row, dir) {
			return row, true
		}
	}
	return "", false
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// within reports whether a package belongs to a module.
func within(p, module string) bool { return p == module || strings.HasPrefix(p, module+"/") }

var (
	moduleLine  = regexp.MustCompile(`(?m)^module (\S+)$`)
	requireLine = regexp.MustCompile(`(?m)^\s*(?:require )?([a-z][^\s]*\.[^\s]+) (v\S+)( // indirect)?$`)
)

func nameOf(tree fs.FS) string {
	raw, err := fs.ReadFile(tree, "go.mod")
	if m := moduleLine.FindSubmatch(raw); err == nil && m != nil {
		return string(m[1])
	}
	return "?"
}

func direct(tree fs.FS) (modules []string) {
	raw, err := fs.ReadFile(tree, "go.mod")
	if err != nil {
		return nil
	}
	for _, m := range requireLine.FindAllSubmatch(raw, -1) {
		if len(m[3]) == 0 {
			modules = append(modules, string(m[1]))
		}
	}
	return modules
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func moduleName(t *testing.T, root string) string {
	t.Helper()
	name := nameOf(os.DirFS(root))
	if name == "?" {
		t.Fatal("go.mod names no module")
	}
	return name
}

func glob(t *testing.T, root, pattern string) []string {
	t.Helper()
	dirs, err := fs.Glob(os.DirFS(root), pattern)
	if err != nil || len(dirs) == 0 {
		t.Fatalf("nothing is like %s: %v", pattern, err)
	}
	return dirs
}

// requirements returns the directory of each required module in the module cache.
func requirements(t *testing.T, root string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(filepath.SplitList(build.Default.GOPATH)[0], "pkg", "mod")
	}
	mods := map[string]string{}
	for _, m := range requireLine.FindAllSubmatch(raw, -1) {
		mods[string(m[1])] = filepath.Join(cache, filepath.FromSlash(escaped(string(m[1]))+"@"+string(m[2])))
	}
	return mods
}

// escaped returns a module's path with upper-case letters as in the module cache.
func escaped(module string) string {
	var b strings.Builder
	for _, r := range module {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// A walker follows imports on disk, like the linker for one system.
type walker struct {
	ctx          build.Context
	root, module string
	mods         map[string]string
	from         map[string]string // the first importer of each package
}

func (w *walker) visit(t *testing.T, p, by string) {
	t.Helper()
	if _, seen := w.from[p]; seen || p == "C" || p == "unsafe" {
		return
	}
	w.from[p] = by
	pkg, err := w.ctx.ImportDir(w.dir(p), 0)
	if err != nil {
		t.Fatalf("%s, imported by %s: %v", p, by, err)
	}
	for _, next := range pkg.Imports {
		w.visit(t, next, p)
	}
}

func (w *walker) dir(p string) string {
	if ours, ok := strings.CutPrefix(p, w.module+"/"); ok {
		return filepath.Join(w.root, filepath.FromSlash(ours))
	}
	for module, dir := range w.mods {
		if within(p, module) && !vendored(p) {
			return filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(p, module)))
		}
	}
	std := filepath.Join(goroot(), "src")
	if vendored(p) {
		std = filepath.Join(std, "vendor")
	}
	return filepath.Join(std, filepath.FromSlash(p))
}

// goroot returns the directory of the standard library's source.
var goroot = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
})

// vendored reports whether the standard library contains a copy of the package.
func vendored(p string) bool {
	_, err := os.Stat(filepath.Join(goroot(), "src", "vendor", filepath.FromSlash(p)))
	return err == nil && strings.Contains(p, ".")
}

// way returns the chain of imports through which a package is linked.
func (w *walker) way(p string) string {
	way := p
	for by := w.from[p]; by != ""; by = w.from[by] {
		way = by + " → " + way
	}
	return way
}

// TestImportRules breaks each kind of rule once, each in a new tree.
func TestImportRules(t *testing.T) {
	const requirement = "module m\n\nrequire (\n\texample.org/new v1.0.0\n\texample.org/deep v1.0.0 // indirect\n)\n"
	small := rules{
		ours: map[string][]string{
			"app": {"core", "front", "rear"}, "front": {"core", "pure"}, "rear": {"core"}, "core": {"pure"},
			"pure": {}, "hook-*": {},
		},
		inTests: map[string][]string{"*": {"fake"}, "rear": {"example.org/db"}},
		bans: []ban{
			{"core", []string{"app", "front", "rear"}, "one owner"},
			{"front", []string{"app"}, "ways in never import each other"},
			{"rear", []string{"app/serve.go"}, "one file composes"},
		},
		pure: []string{"pure"},
		std: []stdBan{
			{[]string{"pure"}, []string{"os"}, "no I/O"},
			{[]string{"hook-a"}, []string{"net/http"}, "slow"},
		},
		owners: map[string]string{"example.org/db": "core"},
		tests:  map[string]struct{}{"example.org/check": {}},
	}
	small.ours["fake"] = nil
	for _, c := range []struct {
		name, file, src string
		want            string // "" if the tree breaks no rule
	}{
		{"sound", "front/b.go", `import ("m/core"; "m/pure"; "os")`, ""},
		{"package without a row", "extra/a.go", ``, "package extra is not in the table"},
		{"row without a package", "pure/a.go", "-", "the row pure has no package"},
		{"row with tests alone", "pure/a.go", "- pure/a_test.go", "the row pure has no package"},
		{"not in its row", "pure/b.go", `import "m/hook-a"`, "pure may not import hook-a: it is not in its row"},
		{"core from below", "pure/b.go", `import "m/core"`, "pure may not import core: one owner"},
		{"way in to way in", "rear/b.go", `import "m/front"`, "ways in never import each other"},
		{"file that alone may", "app/serve.go", `import "m/rear"`, ""},
		{"file beside the one that may", "app/b.go", `import "m/rear"`, "app may not import rear: one file composes"},
		{"fake in production", "front/b.go", `import "m/fake"`, "front may not import fake"},
		{"fake in a test", "front/b_test.go", `import "m/fake"`, ""},
		{"test reaches up", "pure/b_test.go", `import "m/core"`, "tests of pure may not import core"},
		{"test reaches down", "app/b_test.go", `import "m/pure"`, ""},
		{"test of itself", "pure/b_test.go", `import "m/pure"`, ""},
		{"forbidden std", "pure/b.go", `import "os"`, "pure may not import os: no I/O"},
		{"std that is not listed", "pure/b.go", `import "net/mail"`, "net/mail is not in the list"},
		{"forbidden std by pattern", "hook-a/b.go", `import "net/http"`, "hook-a may not import net/http: slow"},
		{"forbidden std in a test", "pure/b_test.go", `import "os"`, ""},
		{"clock called", "pure/b.go", "import \"time\"\nvar _ = time.Now()", "no clock: time.Now"},
		{"clock passed on", "pure/b.go", "import \"time\"\nvar F = time.Since", "no clock: time.Since"},
		{"clock under another name", "pure/b.go", "import t \"time\"\nfunc f() { t.Sleep(1) }", "no clock: time.Sleep"},
		{"clock by dot", "pure/b.go", "import . \"time\"\nvar _ = Now()", "dot import of time"},
		{"time for values", "pure/b.go", "import \"time\"\nvar _ = time.Second", ""},
		{"clock in a test", "pure/b_test.go", "import \"time\"\nvar _ = time.Now()", ""},
		{"module of another", "front/b.go", `import "example.org/db/sub"`, "example.org/db belongs to core alone"},
		{
			"module of another in a test", "front/b_test.go", `import "example.org/db"`,
			"example.org/db belongs to core alone",
		},
		{"module of another that the table gives a test", "rear/b_test.go", `import "example.org/db"`, ""},
		{
			"module of another that the table gives tests alone", "rear/b.go", `import "example.org/db"`,
			"example.org/db belongs to core alone",
		},
		{"module of its owner", "core/b.go", `import "example.org/db"`, ""},
		{"test module in production", "core/b.go", `import "example.org/check"`, "example.org/check is for tests"},
		{"test module in a test", "core/b_test.go", `import "example.org/check/deep"`, ""},
		{"nobody's module", "core/b.go", `import "example.org/dbx"`, "no package owns example.org/dbx"},
		{"nobody's module in a test", "core/b_test.go", `import "example.org/new"`, "no package owns example.org/new"},
		{"a requirement without an owner", "go.mod", requirement, "go.mod: no package owns example.org/new"},
		{"not Go", "core/b.go", "import {", "missing import path"},
	} {
		t.Run(c.name, func(t *testing.T) { tryTree(t, small, c.file, c.src, c.want) })
	}
}

func tryTree(t *testing.T, r rules, file, src, want string) {
	t.Helper()
	tree := fstest.MapFS{"go.mod": {Data: []byte("module m\n\nrequire example.org/db v1.0.0\n")}}
	for _, dir := range []string{"app", "front", "rear", "core", "pure", "fake", "hook-a"} {
		tree[dir+"/a.go"] = &fstest.MapFile{Data: []byte("package x\n")}
	}
	if other, drop := strings.CutPrefix(src, "-"); drop {
		delete(tree, file)
		file, src = strings.TrimSpace(other), ""
	}
	if path.Ext(file) == ".go" {
		src = "package x\n" + src + "\n"
	}
	if file != "" {
		tree[file] = &fstest.MapFile{Data: []byte(src)}
	}
	found := r.check(tree)
	switch {
	case want == "" && len(found) > 0:
		t.Errorf("the tree is sound, but: %q", found)
	case want != "" && (len(found) != 1 || !strings.Contains(found[0], want)):
		t.Errorf("want one breach with %q, have %q", want, found)
	}
}

// TestTableIsSound checks that the table itself breaks no rule.
func TestTableIsSound(t *testing.T) {
	r := table()
	for _, p := range pure {
		for _, to := range r.ours[p] {
			if !slices.Contains(pure, to) && !slices.Contains(named, to) {
				t.Errorf("%s is pure and may not reach %s", p, to)
			}
		}
	}
	for _, p := range inHooks {
		for _, to := range r.ours[p] {
			if !slices.Contains(inHooks, to) {
				t.Errorf("%s is linked into hooks and may not reach %s", p, to)
			}
		}
	}
	for row := range maps.Keys(r.ours) {
		foreign := func(to string) bool { return !slices.Contains(forStandins, to) }
		if strings.HasPrefix(row, standin) && slices.ContainsFunc(r.ours[row], foreign) {
			t.Errorf("%s is a stand-in and may import only %q", row, forStandins)
		}
		if slices.Contains(r.ours[row], in+"core") && !slices.Contains(aboveCore, row) {
			t.Errorf("%s may not import core", row)
		}
	}
}
