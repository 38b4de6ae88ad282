package noun

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestModuleFaults: the doctor names what keeps a module from doing what its person wants, and
// nothing of one that the person has disabled or never enabled.
func TestModuleFaults(t *testing.T) {
	failing := &wire.ModuleSource{Ends: 5, Why: "exit status 3: no such host"}
	lost := []wire.ModuleServer{{Name: "mail_a"},
		{Name: "mail_b", Fault: "runs do not get the tools of mail_b: chmod 600"}}
	for name, c := range map[string]struct {
		m    wire.Module
		want []string
	}{
		"fine": {wire.Module{State: wire.ModuleEnabled, Source: &wire.ModuleSource{Ends: 4},
			Servers: lost[:1]}, nil},
		"proposed":     {wire.Module{State: wire.ModuleProposed, Source: failing, Servers: lost}, nil},
		"disabled":     {wire.Module{State: wire.ModuleDisabled, Source: failing, Servers: lost}, nil},
		"never usable": {wire.Module{State: wire.ModuleBroken, Fault: "line 2"}, nil},
		"a failing one": {wire.Module{State: wire.ModuleEnabled, Source: failing},
			[]string{"5 times in a row: exit status 3: no such host"}},
		"without tools": {wire.Module{State: wire.ModuleEnabled, Servers: lost},
			[]string{"tools of mail_b: chmod 600"}},
		"all of it": {wire.Module{State: wire.ModuleEnabled, Source: failing, Servers: lost},
			[]string{"5 times", "chmod 600"}},
		"changed": {wire.Module{State: wire.ModuleProposed, Held: "its folder was changed"},
			[]string{"disabled it: its folder was changed"}},
		"gone": {wire.Module{State: wire.ModuleBroken, Held: "its folder is missing"},
			[]string{"disabled it: its folder is missing"}},
		"changed, broken": {wire.Module{State: wire.ModuleBroken, Held: "line 2", Servers: lost}, []string{"line 2"}},
	} {
		c.m.ID = "mail"
		got := moduleFaults(c.m)
		same := slices.EqualFunc(got, c.want, func(have wire.Check, want string) bool {
			return have.State == "bad" && have.ID == "module mail" && strings.Contains(have.Text, want) &&
				have.Fix != ""
		})
		if !same {
			t.Errorf("%s: %+v, want %q", name, got, c.want)
		}
	}
}
