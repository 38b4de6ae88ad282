package understand

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/agents"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/build"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/machine"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/network"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A ruled list is a list of rows, with the words that a command needs to reach them.
type ruled struct {
	name string
	lead func(rows.Row) []string // the program, and the words before a row's own words
	rows []rows.Row
}

func programOf(r rows.Row, or string) string {
	name, _, _ := strings.Cut(r.Of, " ")
	if name == "" {
		return or
	}
	return name
}

func always(words ...string) func(rows.Row) []string {
	return func(rows.Row) []string { return slices.Clone(words) }
}

// ruledLists returns every row of the package: those of all programs, those of git's
// subcommands, and those that a function of a program reads.
func ruledLists() []ruled {
	all := []ruled{
		{"docker, noun", always("docker"), machine.ContainerNouns},
		{"docker, verb", always("docker"), machine.ContainerVerbs},
		{"docker, other host", always("docker", "--context=prod"), machine.OtherHostRows},
		{"compose", always("docker-compose"), machine.ComposeRows},
		{"kubectl", always("kubectl"), machine.ClusterRows},
		{"npm", always("npm"), build.NodeRows},
		{"gh", always("gh"), hosted.ForgeRows},
		{"redis", always("redis-cli"), database.RedisRows},
		{"claude", always("claude"), agents.HostRows},
		{"special", func(r rows.Row) []string { return []string{programOf(r, "")} }, hosted.SpecialRows},
		{"mixed", func(r rows.Row) []string { return []string{programOf(r, "cockroach")} }, database.MixedRows},
		{"git", func(r rows.Row) []string { return []string{"git", programOf(r, "")} }, git.Rows},
	}
	for i := range git.Subcommands {
		if t := &git.Subcommands[i]; len(t.Rows) > 0 && &t.Rows[0] != &git.Rows[0] {
			first, _, _ := strings.Cut(t.Programs, " ")
			all = append(all, ruled{"git " + first, always("git", first), t.Rows})
		}
	}
	for i := range families {
		for _, t := range families[i].tables {
			first, _, _ := strings.Cut(t.Programs, " ")
			all = append(all, ruled{first, func(r rows.Row) []string { return []string{programOf(r, first)} }, t.Rows})
		}
	}
	return all
}

// sampleOf returns a command that matches a row, built from the row's conditions.
func sampleOf(r rows.Row, lead []string) []string {
	argv := lead
	if r.First != "" {
		argv = append(argv, choice(r.First))
	}
	for _, word := range strings.Fields(r.Words) {
		argv = append(argv, choice(word))
	}
	for _, list := range []string{r.Among, r.Mention} {
		if list != "" {
			argv = append(argv, strings.Fields(list)[0])
		}
	}
	if r.Args != "" && !slices.Contains(argv, choice(r.Args)) {
		argv = append(argv, choice(r.Args))
	}
	for _, list := range []string{r.Given, r.With} {
		if list != "" {
			argv = append(argv, option(strings.Fields(list)[0])...)
		}
	}
	if takesEach(r) {
		argv = append(argv, "one", "two", "three") // it is reported for each operand
	}
	return argv
}

// counterexampleOf returns a command that the row does not match, or nil if the row matches
// every command of its program.
func counterexampleOf(r rows.Row, lead []string) []string {
	switch {
	case r.Bare:
		return append(lead, "word")
	case r.First+r.Words+r.Among+r.Mention+r.Args+r.Given != "":
		return append(lead, "--version")
	case r.Without != "":
		return append(lead, option(strings.Fields(r.Without)[0])...)
	}
	return nil
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
	return []string{"-" + name, cmp.Or(value, "x")}
}

func effectsOf(argv []string) []effect.Effect {
	sh := NewShell(effect.Call{}, shell.Site{Cwd: "/home/dev/proj", Project: "/home/dev/proj", Home: "/home/dev"})
	sh.Exec(argv, nil)
	return sh.Eval.Effects
}

// hasEffect reports whether one of the effects is the row's.
func hasEffect(r rows.Row, effects []effect.Effect) bool {
	return slices.ContainsFunc(effects, func(e effect.Effect) bool {
		return e.Kind == r.Act().Kind && (e.Op == r.Act().Op || r.Act().OpOf != nil)
	})
}

// reaches reports whether a command reaches the row, and its effects.
func reaches(r *rows.Row, words []string) (reached bool, effects []effect.Effect) {
	also := r.Also
	defer func() { r.Also = also }()
	r.Also = func(sh *shell.Shell, c shell.Command, o argv.Options) {
		reached = true
		if also != nil {
			also(sh, c, o)
		}
	}
	effects = effectsOf(words)
	return reached, effects
}

// TestEachRowForAndAgainst checks each row in both directions. A command built from the
// row's conditions reaches the row and has its effect, so no earlier row takes all of its
// commands. A command without the conditions does not reach it.
func TestEachRowForAndAgainst(t *testing.T) {
	tried := 0
	for _, list := range ruledLists() {
		for i := range list.rows {
			tried++
			r := &list.rows[i]
			lead := list.lead(*r)
			argv := sampleOf(*r, slices.Clone(lead))
			if len(argv) == len(lead) && !r.Bare { // some rows before it are about a program without arguments
				argv = append(argv, "word")
			}
			switch reached, effects := reaches(r, argv); {
			case !reached:
				t.Errorf("%s: %q does not reach row %d: %+v", list.name, argv, i, *r)
			case r.Act().Kind != "" && !hasEffect(*r, effects):
				t.Errorf("%s: %q has no %q %q: %+v", list.name, argv, r.Act().Kind, r.Act().Op, effects)
			}
			if against := counterexampleOf(*r, lead); against != nil {
				if reached, _ := reaches(r, against); reached {
					t.Errorf("%s: %q reaches row %d without its conditions: %+v", list.name, against, i, *r)
				}
			}
		}
	}
	if tried < 280 {
		t.Errorf("only %d rows", tried)
	}
}

// TestEachClientForAndAgainst checks that each HTTP client deletes with its own option for the
// method, and only then.
func TestEachClientForAndAgainst(t *testing.T) {
	const url = "https://api.example.com/users/1"
	deletes := func(argv ...string) bool {
		return hasEffect(rows.Row{Does: effect.DestroyRemote, Op: effect.Part}, effectsOf(argv))
	}
	for _, row := range network.Requesters {
		method := option(strings.Fields(row.Method)[0])[0]
		for _, name := range strings.Fields(row.Programs) {
			if !deletes(name, method, "DELETE", url) {
				t.Errorf("%s %s DELETE destroys nothing", name, method)
			}
			if deletes(name, url) {
				t.Errorf("%s destroys without a method", name)
			}
		}
	}
}

// TestEachProgramOnce checks that no program is in two tables: the second would be dead.
func TestEachProgramOnce(t *testing.T) {
	seen := map[string]string{}
	for i := range families {
		for _, table := range families[i].tables {
			for _, name := range strings.Fields(table.Programs) {
				if other, twice := seen[name]; twice {
					t.Errorf("%s is listed with %q and with %q", name, other, table.Programs)
				}
				seen[name] = table.Programs
			}
		}
	}
}

// takesEach reports whether the row reports its effect for each of several operands.
func takesEach(r rows.Row) bool {
	var of rows.Target
	switch t := r.Act().To.(type) {
	case rows.Each:
		of = t[0]
	case rows.Paths:
		of = t[0]
	case rows.Pathspecs:
		of = t[0]
	}
	_, options := of.(rows.ValueOf)
	return of != nil && !options
}
