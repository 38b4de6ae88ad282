package understand

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A ruled list is a list of rows, with the words that a command needs to reach them.
type ruled struct {
	name string
	lead func(row) []string // the program, and the words before a row's own words
	rows []row
}

func (r row) program(or string) string {
	name, _, _ := strings.Cut(r.of, " ")
	if name == "" {
		return or
	}
	return name
}

func always(words ...string) func(row) []string {
	return func(row) []string { return slices.Clone(words) }
}

// ruledLists returns every row of the package.
func ruledLists() []ruled {
	all := []ruled{
		{"git", func(r row) []string { return []string{"git", r.program("")} }, gitRows},
		{"docker, noun", always("docker"), containerNouns},
		{"docker, verb", always("docker"), containerVerbs},
		{"compose", always("docker-compose"), composeRows},
		{"kubectl", always("kubectl"), clusterRows},
		{"npm", always("npm"), nodeRows},
		{"gh", always("gh"), forgeRows},
		{"redis", always("redis-cli"), redisRows},
		{"claude", always("claude"), hostRows},
		{"special", func(r row) []string { return []string{r.program("")} }, specialRows},
	}
	for _, list := range [][]table{
		machineTables, diskTables, historyTables, storeTables, networkTables, packageTables,
	} {
		for _, t := range list {
			first, _, _ := strings.Cut(t.programs, " ")
			all = append(all, ruled{first, func(r row) []string { return []string{r.program(first)} }, t.rows})
		}
	}
	return all
}

// sample returns a command that matches a row, built from the row's conditions.
func (r row) sample(lead []string) []string {
	argv := lead
	if r.first != "" {
		argv = append(argv, choice(r.first))
	}
	for _, word := range strings.Fields(r.words) {
		argv = append(argv, choice(word))
	}
	for _, list := range []string{r.among, r.mention} {
		if list != "" {
			argv = append(argv, strings.Fields(list)[0])
		}
	}
	if r.args != "" && !slices.Contains(argv, choice(r.args)) {
		argv = append(argv, choice(r.args))
	}
	for _, list := range []string{r.given} {
		if list != "" {
			argv = append(argv, option(strings.Fields(list)[0])...)
		}
	}
	return argv
}

// choice returns the first word that a condition allows.
func choice(words string) string {
	first, _, _ := strings.Cut(words, "|")
	if first == "*" {
		return "word"
	}
	return strings.Replace(first, "*", "x", 1)
}

func option(name string) []string {
	name, value, given := strings.Cut(name, "=")
	switch {
	case len(name) > 1 && given:
		return []string{"--" + name + "=" + value}
	case len(name) > 1:
		return []string{"--" + name}
	}
	return []string{"-" + name, value + "x"}
}

func effectsOf(argv []string) []effect.Effect {
	sh := NewShell(effect.Call{}, shell.Site{Cwd: "/home/dev/proj", Project: "/home/dev/proj", Home: "/home/dev"})
	sh.Exec(argv, nil)
	return sh.Eval.Effects
}

// has reports whether one of the effects is the row's.
func (r row) has(effects []effect.Effect) bool {
	return slices.ContainsFunc(effects, func(e effect.Effect) bool {
		return e.Kind == r.kind && (e.Op == r.op || strings.HasPrefix(string(r.op), "$"))
	})
}

// TestEachRowForAndAgainst checks each row in both directions. A command built from
// the row's conditions has the row's effect, so no earlier row takes all of its
// commands. A command without the conditions does not have that effect.
func TestEachRowForAndAgainst(t *testing.T) {
	tried := 0
	for _, list := range ruledLists() {
		for _, r := range list.rows {
			if r.kind == "" {
				continue
			}
			tried++
			lead := list.lead(r)
			argv := r.sample(slices.Clone(lead))
			conditions := len(argv) > len(lead)
			if !conditions { // some rows before it are about a program without arguments
				argv = append(argv, "word")
			}
			if !r.has(effectsOf(argv)) {
				t.Errorf("%s: %q has no %q %q: %+v", list.name, argv, r.kind, r.op, effectsOf(argv))
			}
			against := append(lead, "--version")
			if conditions && r.has(effectsOf(against)) {
				t.Errorf("%s: %q has %q %q without the conditions of the row", list.name, against, r.kind, r.op)
			}
		}
	}
	if tried < 180 {
		t.Errorf("only %d rows", tried)
	}
}

// TestEachProgramOnce checks that no program is in two tables: the second would be dead.
func TestEachProgramOnce(t *testing.T) {
	seen := map[string]string{}
	for i := range families {
		for _, table := range families[i].tables {
			for _, name := range strings.Fields(table.programs) {
				if other, twice := seen[name]; twice {
					t.Errorf("%s is listed with %q and with %q", name, other, table.programs)
				}
				seen[name] = table.programs
			}
		}
	}
}
