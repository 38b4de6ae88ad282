package e2e

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// mostCommits is how often a question may wait for the disk, from its hook's start to the last edit of its card.
const mostCommits = 5

// TestAskCommits counts what SQLite commits for a question that is answered on the phone. The last commit is that
// of the coordinator's end, which keeps whatever the question left to be kept. The least of several counts: on a busy
// machine what waits for the next commit may be kept before it comes.
func TestAskCommits(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	client := "CLAUDE_PID=" + strconv.Itoa(bystander(t))
	ask := func(mark string) {
		in := p.session("session", mark).with(payload{"tool_name": "Bash", "tool_input": payload{"command": "touch " + mark}})
		p.goesOn(p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", client), mark, "Allow")
	}
	ask("first-end") // its session is known from now on
	least := mostCommits + 1
	for n := 0; n < 5 && least > mostCommits; n++ {
		mark := fmt.Sprintf("next-%d-end", n)
		least = min(least, p.commitsOf(mark, func() { ask(mark) }))
	}
	if least > mostCommits {
		t.Errorf("a question takes %d commits, want at most %d", least, mostCommits)
	}
}

// commitsOf counts the commits of a question from its asking to the coordinator's end.
func (p *phone) commitsOf(mark string, ask func()) int {
	p.t.Helper()
	p.drain()
	p.afar("away", "on") // keeps what was left
	log, err := os.Open(p.dirs.Database() + "-wal")
	if err != nil {
		p.t.Fatal(err)
	}
	defer log.Close() // it is removed at the end, and can be read
	before := commits(p.t, log)
	ask()
	p.await("the answer on the card", func(m botapi.Message) bool {
		return strings.Contains(m.Text, mark) && strings.Contains(m.Text, "llowed by Ann") && len(m.Keyboard) == 0
	})
	if err := p.aim().Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	awaitEnd(p.t, p.dirs.Config)
	return commits(p.t, log) - before
}

// commits counts the commits in a log of SQLite, see https://www.sqlite.org/fileformat.html#the_write_ahead_log.
func commits(t testing.TB, log *os.File) (n int) {
	t.Helper()
	raw, err := io.ReadAll(io.NewSectionReader(log, 0, 1<<30))
	if err != nil || len(raw) < 32 {
		t.Fatalf("a log of %d bytes: %v", len(raw), err)
	}
	frame, salts := 24+int(binary.BigEndian.Uint32(raw[8:])), string(raw[16:24])
	for rest := raw[32:]; len(rest) >= frame && string(rest[8:16]) == salts; rest = rest[frame:] {
		if pages := binary.BigEndian.Uint32(rest[4:]); pages > 0 { // it ends a transaction
			n++
		}
	}
	return n
}
