package home_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

func debugDirs(t *testing.T) home.Dirs {
	t.Helper()
	d, err := home.FromEnv(func(name string) string {
		return map[string]string{"HOME": t.TempDir(), "AFAR_HOME": filepath.Join(t.TempDir(), "afar")}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDebuggingEnds(t *testing.T) {
	d, now := debugDirs(t), time.UnixMilli(1_790_000_000_000)
	if _, on := home.Debugging(d, now); on {
		t.Error("debugging is on before anybody asked for it")
	}
	want := home.Debug{Payloads: true, Until: now.Add(time.Hour)}
	if err := home.LeaveDebug(d, want); err != nil {
		t.Fatal(err)
	}
	if got, on := home.Debugging(d, now); !on || got != want {
		t.Errorf("Debugging = %v, %v; want %v", got, on, want)
	}
	if _, on := home.Debugging(d, now.Add(time.Hour)); on {
		t.Error("debugging is still on at its end")
	}
	if err := home.EndDebug(d); err != nil {
		t.Fatal(err)
	}
	if _, on := home.Debugging(d, now); on {
		t.Error("debugging is still on after EndDebug")
	}
	if err := home.EndDebug(d); err != nil {
		t.Errorf("ending it twice: %v", err)
	}
}

func TestDebuggingRefusesGarbage(t *testing.T) {
	d := debugDirs(t)
	for _, text := range []string{
		"",
		"payloads",
		"payloads x",
		"everything 99999999999999",
		"lines -1",
		strings.Repeat("a", 1<<17),
	} {
		if err := home.LeaveMark(d.DebugMark(), text); err != nil {
			t.Fatal(err)
		}
		if got, on := home.Debugging(d, time.Now()); on {
			t.Errorf("mark %.20q: Debugging = %v, on", text, got)
		}
	}
}

// TestAppendLine: when many processes write, no line is torn, and the log and the earlier
// one stay within their bound.
func TestAppendLine(t *testing.T) {
	path, line := filepath.Join(t.TempDir(), "log", "hooks.log"), []byte(strings.Repeat("x", 99)+"\n")
	const max = 10_000
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				_ = home.AppendLine(path, line, max) // it fails while the log is full
			}
		})
	}
	all.Wait()
	for _, name := range []string{path, path + ".1"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 2*max+8*len(line) || len(raw) == 0 {
			t.Errorf("%s has %d bytes, want at most about %d", filepath.Base(name), len(raw), 2*max)
		}
		if rest := bytes.ReplaceAll(raw, line, nil); len(rest) > 0 {
			t.Errorf("%s has torn lines: %.50q", filepath.Base(name), rest)
		}
		if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %s", name, info.Mode())
		}
	}
}
