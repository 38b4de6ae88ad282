//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// release returns a machine with the tree of a release archive and without Go and git. The tree
// has the files of this repository and the programs that TestMain built.
func release(t *testing.T) *machine {
	t.Helper()
	m := bare(t)
	tree := filepath.Join(filepath.Dir(m.home), "a release")
	for _, name := range []string{".claude-plugin", "plugin", "skills", "bin"} {
		if err := os.CopyFS(filepath.Join(tree, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"install.sh", "LICENSE", "README.md", "CHANGELOG.md"} {
		copyFile(t, filepath.Join(repository, name), filepath.Join(tree, name))
	}
	write(t, tree, "NOTICES", "licences")
	plain := tools(t, "diff")
	if err := os.Remove(filepath.Join(plain, "git")); err != nil {
		t.Fatal(err)
	}
	m.path(filepath.Join(m.home, ".local", "bin"), plain)
	m.clone = tree
	return m
}

// place is where a release is installed.
func (m *machine) place() string { return filepath.Join(m.home, ".local", "share", "afar") }

// TestInstallRelease installs a release, which is copied, again, an update over it, and takes it away.
func TestInstallRelease(t *testing.T) {
	m := release(t)
	tree := snapshot(t, m.clone, nothing)
	said := m.install()
	wants(t, said, "git was not found", "Copying Afar to "+m.place(), "Installed.",
		"claude plugin marketplace add '"+m.place()+"'")
	if diff := cmp.Diff(tree, snapshot(t, m.clone, nothing)); diff != "" {
		t.Errorf("it changed what was unpacked: %s", diff)
	}
	if at, err := os.Readlink(m.link()); err != nil || at != filepath.Join(m.place(), "bin", "afar") {
		t.Errorf("the link leads to %q, %v", at, err)
	}
	pid, before := m.coordinator(), stamped(t, m.place(), theBin)
	m.install()
	if diff := cmp.Diff(before, stamped(t, m.place(), theBin)); diff != "" || m.coordinator() != pid {
		t.Errorf("a second install of the same changed: %s", diff)
	}

	// A newer release has other programs and files, and lacks a skill.
	write(t, m.clone, "plugin/commands/status.md", "newer")
	if err := os.RemoveAll(filepath.Join(m.clone, "skills", "messaging")); err != nil {
		t.Fatal(err)
	}
	newer, err := os.OpenFile(m.bin("afar"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = newer.WriteString("newer")
	}
	if err != nil || newer.Close() != nil {
		t.Fatal(err)
	}
	m.install()
	if m.coordinator() == pid || read(t, filepath.Join(m.place(), "plugin/commands/status.md")) != "newer" ||
		there(filepath.Join(m.place(), "skills", "messaging")) {
		t.Error("the newer release did not take the place of the older one")
	}
	pid = m.coordinator()
	wants(t, m.install("--uninstall"), "Removed.")
	soon(t, "the end of the coordinator", func() bool { return !running(pid) })
	if diff := cmp.Diff(map[string]string{}, snapshot(t, m.home, ownData)); diff != "" || there(m.place()) {
		t.Errorf("uninstall leaves in the home: %s", diff)
	}
}

// TestInstallReleaseRefuses: what is in the way stays as it is, and programs for another machine are not installed.
func TestInstallReleaseRefuses(t *testing.T) {
	m := release(t)
	write(t, m.place(), "mine.txt", "mine")
	wantUntouched(t, m, 1, []string{m.place() + " is there and is not a release of Afar"})
	if err := os.RemoveAll(m.place()); err != nil {
		t.Fatal(err)
	}
	write(t, m.place(), "go.mod", "module x\n")
	wantUntouched(t, m, 1, []string{"is there and is not a release of Afar"})
	wantUntouched(t, m, 1, []string{"is a checkout"}, "--uninstall")
	if err := os.RemoveAll(m.place()); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(m.place(), "bin", ".new.killed"), 0o755); err != nil {
		t.Fatal(err)
	}
	m.install() // an install that was killed is no obstacle
	m.install("--uninstall")
	if err := os.WriteFile(m.bin("afar"), []byte("\x7fELF of another machine"), 0o755); err != nil {
		t.Fatal(err)
	}
	wantUntouched(t, m, 1, []string{"do not run on this machine", "Take the archive for it"})
}

// TestInstallFromNpm: the first session links the programs that npm fetched beside the plugin, as whole
// files, also where two sessions start at once; without them it says what is missing.
func TestInstallFromNpm(t *testing.T) {
	m := release(t)
	brought := filepath.Join(m.clone, "node_modules", "@afar-sh", "linux-x64", "bin")
	if err := os.MkdirAll(filepath.Dir(brought), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(m.bin(""), brought+".away"); err != nil {
		t.Fatal(err)
	}
	wants(t, m.sessionStart("without"), "Afar is not active", "was not installed", "refuses every tool call",
		"claude plugin disable afar@afar")
	if err := os.Rename(brought+".away", brought); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); m.hookStart("one") }()
	out, code := m.hookStart("two")
	<-done
	if code != 0 || strings.Contains(out, "not active") {
		t.Errorf("exit %d, %s", code, out)
	}
	want := append(names(t, brought), "afar.pin", "build.log")
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, m.bin(""))); diff != "" {
		t.Errorf("bin/ holds: %s", diff)
	}
	if out, code := m.run(m.bin("afar"), "status"); code != 0 {
		t.Errorf("afar status: exit %d, %s", code, out)
	}
}
