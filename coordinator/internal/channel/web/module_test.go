package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// enableForm is what the page enables.
var enableForm = regexp.MustCompile(`name="seen" value="([^"]+)">\n<button name="do" value="enable"`)

// TestModulePages: the page shows what a module brings, with its files as plain text, and enables
// exactly what it has shown.
func TestModulePages(t *testing.T) {
	s := served(t)
	contains(t, "an empty list", s.get(t, "/modules"), "No modules.", "module.toml",
		"Nothing of it runs before you enable it")
	folder := filepath.Join(s.dir, "workspace", "modules", "mail")
	s.writeFile(t, filepath.Join(folder, "module.toml"),
		"title = \"Mail <b>\"\n[source]\ncommand = [\"./watch\", \"IN BOX\"]\n[mcp.files]\n"+
			"url = \"https://tools.example.org/mcp\"\n")
	s.writeFile(t, filepath.Join(folder, "watch"), "#!/bin/sh\n<script>alert(1)</script>\n")
	if err := os.Symlink("watch", filepath.Join(folder, "last")); err != nil {
		t.Fatal(err)
	}
	contains(t, "the list", s.get(t, "/modules"),
		"Mail <b>", "proposed: nobody has enabled it", "a source of events, 1 server of tools",
		"Look, then enable", "!Disable")
	contains(t, "the module", s.get(t, "/module/mail"), "Nothing of it runs.", "./watch 'IN BOX'", "mail_files")
	look := s.get(t, "/module/mail/enable")
	contains(t, "what is enabled", look, "./watch 'IN BOX'", "https://tools.example.org/mcp", "3 files",
		"is a link to watch", "Exactly these files are enabled")
	for path, want := range map[string]bool{"/module/mail": false, "/module/mail/enable": true} {
		doc := s.get(t, path)
		if still := !strings.Contains(doc, "/live?at"); still != want || enableForm.MatchString(doc) != want {
			t.Errorf("%s stands still and enables: %t, want %t", path, still, want)
		}
	}
	if got := s.get(t, "/module/mail/file/watch"); got != "#!/bin/sh\n<script>alert(1)</script>\n" {
		t.Errorf("the file is %q", got)
	}
	for _, path := range []string{"last", "none", "%2e%2e/other/module.toml", "..%2f..%2fidentity.md"} {
		if r, err := s.browser.Get(s.ch.URL() + "/module/mail/file/" + path); err != nil || r.StatusCode < 400 {
			t.Errorf("%s: %v, %v", path, r.Status, err)
		}
	}

	act := func(do, hash, want, state string) {
		t.Helper()
		if got := s.post(t, "/module/mail/do", url.Values{"do": {do}, "seen": {hash}}); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", do, got, want)
		}
		if list := s.get(t, "/modules"); !strings.Contains(list, ">"+state+"<") {
			t.Errorf("after %s the module is not %s", do, state)
		}
	}
	seen := enableForm.FindStringSubmatch(look)[1]
	act("enable", "", "othing says what you have seen", "proposed: nobody has enabled it")
	s.writeFile(t, filepath.Join(folder, "watch"), "#!/bin/sh\nother\n")
	act("enable", seen, "has changed since you looked", "proposed: nobody has enabled it")
	act("enable", enableForm.FindStringSubmatch(s.get(t, "/module/mail/enable"))[1],
		"Module mail is enabled.", "enabled")
	contains(t, "the enabled module", s.get(t, "/module/mail"), "is being started", "Restart the source", "Disable",
		"!Look, then")
	act("restart", "", "has no source that is kept running", "enabled")
	act("disable", "", "Module mail is disabled.", "disabled")
	s.writeFile(t, filepath.Join(folder, "module.toml"), "[source]\ncomand = [\"./watch\"]\n")
	contains(t, "a broken module", s.get(t, "/module/mail/enable"), "It cannot be enabled: module.toml, line 2",
		"!Exactly these")
}

// TestClosedModule: a page that does not count changes no module.
func TestClosedModule(t *testing.T) {
	s := newSubject(t)
	s.answersFrom = []string{"telegram"}
	s.serve(t)
	for _, do := range []string{"enable", "disable", "restart"} {
		form := url.Values{"do": {do}, "seen": {"1"}}
		if got := s.post(t, "/module/mail/do", form); !strings.Contains(got, "do not count") {
			t.Errorf("%s: %q", do, got)
		}
	}
}
