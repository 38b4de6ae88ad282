//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wall"
)

// TestRealWall: a turn of the client works in its project and cannot write outside. The agent is told so, also after a
// call that was stopped, its hooks work, nobody is asked about code that cannot be seen, and the run says that the wall
// stood and what it stopped.
func TestRealWall(t *testing.T) {
	if why := wall.Missing(); why != "" {
		t.Skip(why) // older kernels have none
	}
	r := newRunRig(t, host.Current, "Bash")
	write(t, r.lab.Project, "out.sh", "echo out > ../outside\n")
	write(t, r.lab.Project, "recipe.txt", "echo unseen >> made\n")
	r.startRun("walled", play(model.Bash("echo made >> made"), model.Bash("sh out.sh"),
		model.Bash(`bash -c "$(awk 1 recipe.txt)"`), model.Say("all is made")))
	got := r.becameRun("walled", "idle")
	if got.Result != "all is made" || r.lines("made") != 2 || r.exists("../outside") {
		t.Errorf("it said %q and made %d lines, outside is there: %t\n%s", got.Result, r.lines("made"),
			r.exists("../outside"), r.must("run", "log", "walled", "--json"))
	}
	if got.Wall != wall.On || got.WallStops != 1 || got.Stands == nil || got.Stands.Mode != wall.On ||
		got.Stands.Write[0].Path != filepath.Clean(got.Dir) {
		t.Errorf("its wall: %q, %d stops, %+v\n%s", got.Wall, got.WallStops, got.Stands, r.must("run", "log", "walled"))
	}
	if shown := r.must("run", "show", "walled"); !strings.Contains(shown, "it stood, on") {
		t.Errorf("run show prints %s", shown)
	}
	turns := r.model.Turns()
	if !turns[0].Has("behind a wall of the kernel") {
		t.Errorf("the agent is not told: %q", turns[0].Texts())
	}
	if last := turns[len(turns)-1]; !last.Has("the wall of this turn stopped it") {
		t.Errorf("the agent is not told what stopped a call: %q", last.Texts())
	}
	r.journal("guard.spoke", "behind its wall, snapshot")
}
