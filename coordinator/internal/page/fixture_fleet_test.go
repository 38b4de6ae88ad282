package page_test

import (
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/page"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
)

// frameOf returns what surrounds a view: the pages of a fleet have a filter.
func frameOf(name string) page.Frame {
	f := frame()
	if strings.HasPrefix(name, "fleet-") {
		f.Fleet = []string{"desk", "build", "laptop"}
	}
	if name == "fleet-one" {
		f.Chosen = "laptop"
	}
	return f
}

// build is reached now, laptop since three hours no more.
var (
	build  = wire.Origin{Machine: "build", SeenAt: ms(2 * time.Second)}
	laptop = wire.Origin{Machine: "laptop", SeenAt: ms(3 * time.Hour), AwayAt: ms(3 * time.Hour)}
)

// fleetViews are the pages of a hub with two members, one of which is away.
func fleetViews() map[string]page.View {
	some := running()
	some.Part.Sessions = slices.Clone(some.Part.Sessions[:6])
	some.Part.Sessions[1].From(build)
	some.Part.Sessions[3].From(laptop)
	some.Part.Sessions[5].From(laptop)
	some.Part.All = 6
	one := page.Sessions{Running: some, Home: home}
	one.Part.Sessions, one.Part.All = []wire.Session{some.Part.Sessions[3], some.Part.Sessions[5]}, 2
	rows := runs()[:4]
	rows[1].From(build)
	rows[2].From(laptop)
	board := tasks()
	board[1].From(build)
	board[4].From(laptop)
	first := page.Now{
		Status: status(), Cards: fleetCards(), Runs: rows, Sessions: some, News: news(), Home: home,
	}
	session := page.Session{Session: some.Part.Sessions[3], Closed: "laptop is not reachable now, and this is what it showed last"}
	return map[string]page.View{
		"fleet-now":      first,
		"fleet-sessions": page.Sessions{Running: some, Home: home},
		"fleet-one":      one,
		"fleet-session":  session,
		"fleet-runs":     page.Runs{List: rows, Home: home, Start: runForm()},
		"fleet-tasks":    page.Tasks{List: board, Home: home},
		"fleet-machines": listOf(view.Machines, machines(), view.Machine),
	}
}

// fleetCards are questions of each machine: one that can be answered, one whose answer is on its way to a machine that
// is away, and one that is answered at its machine alone.
func fleetCards() []page.Card {
	ours, theirs := cards()[0], ask("b4c1a001", "permission", "shop-77aa@build", "Bash", "npm publish", 3*time.Minute)
	sent := ask("b4c1a002", "permission", "web-0d11@laptop", "Bash", "git push --force", 4*time.Hour)
	shown := ask("b4c1a003", "permission", "infra-9c2e@build", "Bash", "terraform apply", time.Minute)
	theirs.Origin, sent.Origin, shown.Origin = build, laptop, build
	sent.Sent, shown.Closed = "Allowed", "build joined with --no-decide: answer at that machine"
	return []page.Card{
		ours, {Asks: []wire.Ask{theirs}}, {Asks: []wire.Ask{sent}}, {Asks: []wire.Ask{shown}, Closed: shown.Closed},
	}
}

func machines() []wire.Machine {
	return []wire.Machine{
		{ID: "1f2e3d4c5b6a7988", Name: "desk", Role: "hub", State: wire.MachineHere, SeenAt: ms(0), Version: "0.9.0",
			Decides: true, OpenAsks: 1, Sessions: 3, Runs: 2},
		{ID: "2f2e3d4c5b6a7988", Name: "build", Role: "member", State: wire.MachineUp, SeenAt: ms(0), Version: "0.9.0",
			OpenAsks: 2, Sessions: 1, Runs: 1},
		{ID: "3f2e3d4c5b6a7988", Name: "laptop", Role: "member", State: wire.MachineAway, SeenAt: ms(3 * time.Hour),
			Version: "0.9.0", Decides: true, OpenAsks: 1, Sessions: 2, Runs: 1, WaitingOut: 1},
	}
}
