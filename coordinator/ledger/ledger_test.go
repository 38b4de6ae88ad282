package ledger_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/ledger"
)

// TestLedger: a call in the ledger is known, and any other was never seen. The last
// verdict on a call counts.
func TestLedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "calls")
	now := time.UnixMilli(1_700_000_000_000)
	for range 2 {
		if err := ledger.Begin(dir, "s-1", now); err != nil {
			t.Fatal(err)
		}
		ledger.Write(dir, "s-1", "toolu_a", ledger.Seen)
		now = now.Add(time.Hour) // only the first Begin counts
	}
	ledger.Write(dir, "s-1", "toolu_b", ledger.Seen)
	ledger.Write(dir, "s-1", "toolu_b", ledger.Denied)
	l := ledger.Read(dir, "s-1")
	if !l.Began.Equal(time.UnixMilli(1_700_000_000_000)) {
		t.Errorf("it began at %v", l.Began)
	}
	for call, want := range map[string]ledger.Verdict{
		"toolu_a": ledger.Seen,
		"toolu_b": ledger.Denied,
		"toolu_c": ledger.Never,
		"":        ledger.Unknown,
	} {
		if got := l.Of(call); got != want {
			t.Errorf("%q: %q, want %q", call, got, want)
		}
	}
}

// TestOf: Of says of each call in a long ledger what Read says, and reads only the end for a late call.
func TestOf(t *testing.T) {
	dir := t.TempDir()
	if err := ledger.Begin(dir, "s", time.UnixMilli(1)); err != nil {
		t.Fatal(err)
	}
	name := func(n int) string { return "toolu_" + strconv.Itoa(n) }
	for n := range 5000 {
		ledger.Write(dir, "s", name(n), ledger.Seen)
	}
	for _, n := range []int{3, 4990} { // one whose first verdict is far, one whose is near
		ledger.Write(dir, "s", name(n), ledger.Denied)
	}
	all := ledger.Read(dir, "s")
	for _, call := range []string{"", "toolu_", name(0), name(3), name(7), name(499), name(4990), name(4999), name(5000)} {
		if got, want := ledger.Of(dir, "s", call), all.Of(call); got != want {
			t.Errorf("%q: %q, want %q", call, got, want)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ledger.Of(dir, "s", name(4998))
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<10 {
		t.Errorf("a late call is looked up with %d bytes", n)
	}
	for name, damage := range map[string]string{"torn": "toolu_x se", "too long": strings.Repeat("y seen\n", 2<<20)} {
		f, err := os.OpenFile(filepath.Join(dir, "s"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString(damage)
		f.Close()
		if got := ledger.Of(dir, "s", "toolu_4998"); got != ledger.Unknown {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestLedgerKnowsNothing: a ledger that is missing, damaged or not writable says nothing
// about any call.
func TestLedgerKnowsNothing(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"none": "", "torn": "began 1\ntoolu_a se", "other": "hello\n", "no-time": "began x\n",
		"huge": "began 12\n" + strings.Repeat("xx seen\n", 2<<20), // a reader that stops at the bound ends with a line
	} {
		if name != "none" {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if v := ledger.Read(dir, name).Of("toolu_b"); v != ledger.Unknown {
			t.Errorf("%s: %q", name, v)
		}
	}
	ledger.Write(dir, "none", "toolu_a", ledger.Seen)
	if v := ledger.Read(dir, "none").Of("toolu_a"); v != ledger.Unknown {
		t.Errorf("a ledger began in the middle of a session: %q", v)
	}
	for _, id := range []string{"", "../x", "a/b", "a\nb", strings.Repeat("a", 200)} {
		if err := ledger.Begin(dir, id, time.Now()); err == nil {
			t.Errorf("Begin accepts the session id %q", id)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	ledger.Write(dir, "dir", "toolu_a", ledger.Seen)
	if v := ledger.Read(dir, "dir").Of("toolu_b"); v != ledger.Unknown {
		t.Errorf("a ledger that cannot be written: %q", v)
	}
}

// TestForget: Forget removes old ledgers and keeps the others.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	for _, id := range []string{"old", "new"} {
		if err := ledger.Begin(dir, id, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	twoDaysAgo := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "old"), twoDaysAgo, twoDaysAgo); err != nil {
		t.Fatal(err)
	}
	if err := ledger.Forget(dir, time.Now().Add(-24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if ledger.Read(dir, "old").Of("x") != ledger.Unknown || ledger.Read(dir, "new").Of("x") != ledger.Never {
		t.Error("Forget removed the wrong ledger")
	}
	if err := ledger.Forget(filepath.Join(dir, "none"), time.Now()); err != nil {
		t.Error(err)
	}
}
