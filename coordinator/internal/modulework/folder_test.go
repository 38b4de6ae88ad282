//go:build unix

package modulework

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/module"
)

// TestRead: each change in a real folder changes its hash, and what cannot count is refused.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	f, mail := NewFolder(dir), filepath.Join(dir, "mail")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		do(os.WriteFile(filepath.Join(mail, name), []byte(text), 0o600))
	}
	if _, err := f.Read("mail"); !os.IsNotExist(err) {
		t.Errorf("a missing folder: %v", err)
	}
	do(os.MkdirAll(filepath.Join(mail, "a", "b"), 0o700))
	c, err := f.Read("mail")
	if err == nil || !strings.Contains(err.Error(), "has no file module.toml") || c.Hash == "" {
		t.Errorf("an empty folder: %+v, %v", c, err)
	}
	write(module.File, "[source]\ncommand = [\"./watch\"]\n")
	write("watch", "#!/bin/sh\n")
	hashes := map[string]string{}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"a permission", func() error { return os.Chmod(filepath.Join(mail, "watch"), 0o700) }},
		{"a deep hidden file", func() error { return os.WriteFile(filepath.Join(mail, "a", "b", ".x"), nil, 0o600) }},
		{"a folder's permission", func() error { return os.Chmod(filepath.Join(mail, "a"), 0o750) }},
		{"a link", func() error { return os.Symlink("../watch", filepath.Join(mail, "a", "l")) }},
	} {
		do(step.do())
		c, err := f.Read("mail")
		if err != nil || hashes[c.Hash] != "" {
			t.Errorf("%s: %v, the same hash as after %q", step.what, err, hashes[c.Hash])
		}
		hashes[c.Hash] = step.what
	}
	do(syscall.Mkfifo(filepath.Join(mail, "pipe"), 0o600))
	if c, err := f.Read("mail"); err == nil || c.Hash != "" {
		t.Errorf("a pipe: %+v, %v", c, err)
	}
	do(os.Remove(filepath.Join(mail, "pipe")))
	do(os.Truncate(filepath.Join(mail, "watch"), module.MaxContent+1))
	if _, err := f.Read("mail"); err == nil || !strings.Contains(err.Error(), "more than 64 MB") {
		t.Errorf("a huge file: %v", err)
	}
	do(os.Symlink(mail, filepath.Join(dir, "link")))
	if names, err := f.List(); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := f.Read("link"); err == nil || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("a link in place of a folder: %v", err)
	}
}
