package e2e

import (
	"encoding/binary"
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
// of the coordinator's end, which keeps whatever the question left to be kept.
func TestAskCommits(t *testing.T) {
	t.Parallel()
	p := newPhone(t)
	client := "CLAUDE_PID=" + strconv.Itoa(bystander(t))
	ask := func(mark string) {
		in := p.session("session", mark).with(payload{"tool_name": "Bash", "tool_input": payload{"command": "touch " + mark}})
		p.goesOn(p.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", client), mark, "Allow")
	}
	ask("first-end") // its session is known from now on
	p.drain()
	p.afar("away", "on") // keeps what they left
	log, err := os.Open(p.dirs.Database() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // it is removed at the end, and can be read
	before := commits(t, log)
	ask("second-end")
	p.await("the answer on the card", func(m botapi.Message) bool {
		return strings.Contains(m.Text, "second-end") && strings.Contains(m.Text, "llowed by Ann") && len(m.Keyboard) == 0
	})
	if err := p.aim().Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, p.dirs.Config)
	if n := commits(t, log) - before; n > mostCommits {
		t.Errorf("a question takes %d commits, want at most %d", n, mostCommits)
	}
}

// commits counts the commits in a log of SQLite, see https://www.sqlite.org/fileformat.html#the_write_ahead_log.
func commits(t *testing.T, log *os.File) (n int) {
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
