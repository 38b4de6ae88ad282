package git

import (
	"cmp"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/wall"
)

// bounds says how git is walled in.
type bounds struct {
	set  wall.Settings
	dirs home.Dirs
}

var bound atomic.Pointer[bounds]

// Bound puts every git that is Trusted behind a wall from now on. A repository names programs that git runs: filters,
// drivers, ssh, helpers. What a run may write names them too, so they may touch no more than the run itself: the
// checkout, its repository, temporary files. Only where the repository names none, git reads the person's keys.
func Bound(set wall.Settings, dirs home.Dirs) {
	if set.Mode == wall.Strict {
		set.Mode = wall.On // git needs the person's settings
	}
	bound.Store(&bounds{set, dirs})
}

// keyed are the commands that may sign, or talk to another machine, as their filters do too.
var keyed = []string{"commit", "fetch", "lfs", "ls-remote", "merge", "push", "rebase", "reset", "restore", "worktree"}

// keys are the folders of the home with what git needs to sign and to push.
var keys = []string{".ssh", ".gnupg", ".password-store"}

// Patterns of git's settings: what names a program or opens a way to one, and what git is asked about besides.
const (
	naming = `alias\.lfs|core\.(alternaterefscommand|askpass|gitproxy|sshcommand)|credential\.(.*\.)?helper|` +
		`diff\..*\.(command|textconv)|filter\..*|gpg\.(.*\.)?(defaultkeycommand|program)|hook\..*|` +
		`lfs\.(customtransfer|extension)\..*|merge\..*\.driver|protocol\..*|remote\..*\.(receivepack|uploadpack|vcs)`
	others = `commit\.gpgsign|remote\..*\.(push)?url`
)

var names = regexp.MustCompile("^(" + naming + ")$")

// putBehind puts a git behind the wall that Bound wants, if it wants one.
func (r Repo) putBehind(ctx context.Context, p *child.Program, command string) (err error) {
	b := bound.Load()
	if b == nil || b.set.Mode == wall.Off || !r.profile.isTrusted {
		return nil
	}
	getenv := wall.From(p.Env)
	place := wall.Place{Dirs: b.dirs, Dir: r.Dir, Temp: getenv("TMPDIR"), Program: p.Path, Getenv: getenv}
	if at := getenv("GIT_DIR"); at != "" { // ours, of a worktree that its repository does not know
		place.Own = append(place.Own, wall.Row{Path: at, Why: "its repository"})
	}
	if slices.Contains(keyed, command) {
		out, _ := r.Run(ctx, "config", "-z", "--show-scope", "--get-regexp", "^("+naming+"|"+others+")$")
		r.open(ctx, &place, p, Records(out))
	}
	p.Env = place.Env(p.Env)
	p.Wall, err = wall.New(place, b.set)
	return err
}

// open opens in a place what a command needs that signs or talks to others. said is what git says of its settings: scope
// and setting in turn.
func (r Repo) open(ctx context.Context, place *wall.Place, p *child.Program, said []string) {
	var isForeign, signs, hasSSH bool
	var remotes []wall.Row
	for pair := range slices.Chunk(said, 2) {
		key, value, _ := strings.Cut(pair[len(pair)-1], "\n")
		isForeign = isForeign || names.MatchString(key) && (pair[0] == "local" || pair[0] == "worktree")
		signs, hasSSH = signs || key == "commit.gpgsign", hasSSH || key == "core.sshcommand"
		if at := strings.TrimPrefix(value, "file://"); strings.HasSuffix(key, "url") && filepath.IsAbs(at) {
			remotes = append(remotes, wall.Row{Path: at, Why: "a remote"})
		}
	}
	if isForeign { // its programs would write wherever a remote is said to be
		return
	}
	place.Own = append(place.Own, remotes...)
	for _, name := range keys {
		place.Reads = append(place.Reads, wall.Row{Path: filepath.Join(place.Dirs.User, name), Why: "to sign and to push"})
	}
	if !hasSSH { // ssh ends if it cannot make the socket of a shared connection
		p.Env = append(p.Env, "GIT_SSH_COMMAND=ssh -o ControlMaster=no")
	}
	if signs { // gpg locks its folder; and it would start its agent behind the wall, for everybody
		folder := cmp.Or(wall.From(p.Env)("GNUPGHOME"), filepath.Join(place.Dirs.User, ".gnupg"))
		place.Own = append(place.Own, wall.Row{Path: folder, Why: "to sign"})
		agent := child.Program{
			Path: "gpgconf", Args: []string{"--launch", "gpg-agent"}, Env: p.Env, Limit: r.profile.grace,
			Grace: r.profile.grace, Outlives: true,
		}
		_, _ = agent.Run(ctx) // without gpg, something else signs
	}
}
