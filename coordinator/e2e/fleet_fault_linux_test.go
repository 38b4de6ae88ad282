package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A smallDisk is a disk of its own for the home of a coordinator.
type smallDisk struct {
	t    testing.TB
	fill string // the file that fills it
}

// newSmallDisk returns a nest whose home is on a small disk, or skips the test.
func newSmallDisk(t testing.TB) (*nest, smallDisk) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	n := newNest(t)
	at := filepath.Join(n.dirs.User, "afar")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("afar", at, "tmpfs", 0, "size=16m,mode=700"); err != nil {
		t.Skip("no disk can be mounted here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	return n, smallDisk{t, filepath.Join(at, "fill")}
}

// full fills the disk, and returns when the coordinator on it can write nothing.
func (d smallDisk) full(of *phone) {
	d.t.Helper()
	f, err := os.Create(d.fill)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, unix.ENOSPC) {
		d.t.Fatal(err)
	}
	for range 500 { // the log of the database has room for some
		if _, err := of.tryAlone("away", "on", "--for", "9h"); err != nil {
			return
		}
	}
	d.t.Fatal("the coordinator still writes")
}

func (d smallDisk) free() {
	d.t.Helper()
	if err := os.Remove(d.fill); err != nil {
		d.t.Fatal(err)
	}
}

// TestFleetDiskFull checks that nothing is lost while the disk of the hub or of the member takes nothing: what was asked and
// tapped meanwhile counts once when there is room again.
func TestFleetDiskFull(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	for _, name := range []string{"desk", "build"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, disk := newSmallDisk(t)
			other := newNest(t)
			if name == "build" {
				n, other = other, n
			}
			r := newFleetRigOn(t, n)
			build := r.joinOn(other, "build", wordOf(r.afar("fleet", "invite", "--name", "build")))
			of := map[string]*phone{"desk": r.phone, "build": build}[name]
			before, _ := build.requests("s", "make before")
			card := r.current("make before")[0]
			disk.full(of)
			if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
				t.Fatal(err)
			}
			var during *hookRun
			if name == "desk" {
				during, _ = build.requests("s2", "make during")
				build.eventually("the question waits at build", func() bool {
					var all wire.AsksReply
					build.call(wire.OpAsks, nil, &all)
					return len(all.Asks) > 0
				})
			}
			disk.free()
			r.allowed(build, before)
			commands := []string{"make before", "make after"}
			if during != nil {
				commands = append(commands, "make during")
				r.tapAllow("make during")
				r.allowed(build, during)
			}
			after, _ := build.requests("s", "make after")
			r.tapAllow("make after")
			r.allowed(build, after)
			for _, command := range commands {
				if n := len(r.showing(command)); n != 1 {
					t.Errorf("%s is on the phone %d times", command, n)
				}
			}
			if cards := r.showing("was put back"); len(cards) > 0 {
				t.Errorf("a machine was taken for one that was put back: %s", cards[0].Text)
			}
		})
	}
}

// TestFleetCloned checks that a copy of a whole machine has both refused: the person hears it on the phone, and nothing of
// either gets there.
func TestFleetCloned(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	copied := &phone{nest: newNest(t), bot: r.bot, ann: r.ann, project: build.project}
	t.Cleanup(copied.end)
	build.stopped()
	home := func(p *phone) string { return filepath.Join(p.dirs.User, "afar") }
	if err := os.CopyFS(home(copied), os.DirFS(home(build))); err != nil {
		t.Fatal(err)
	}
	both := []*phone{build, copied}
	for _, m := range both {
		m.call(wire.OpStatus, nil, &wire.StatusReply{})
	}
	if !r.hears("Two machines speak with the key of build") {
		t.Fatalf("the person does not hear of it\n%s", r.trails(build))
	}
	r.is("build", wire.MachineRefused)
	for _, m := range both {
		m.eventually("its doctor says so", func() bool {
			out, _ := m.tryAlone("doctor")
			return strings.Contains(out, "the key is refused") && strings.Contains(out, "afar fleet leave here")
		})
		hook, _ := m.requests("s", "make doubled")
		t.Cleanup(func() { _ = hook.cmd.Process.Kill() })
	}
	here, _ := r.requests("s", "make here")
	r.tapAllow("make here") // later than the others
	r.allowed(r.phone, here)
	if cards := r.showing("make doubled"); len(cards) > 0 {
		t.Errorf("a machine that is refused is on the phone: %s", cards[0].Text)
	}
}
