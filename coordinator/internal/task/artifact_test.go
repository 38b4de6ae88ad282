package task

import (
	"strings"
	"testing"
)

func TestFileName(t *testing.T) {
	for given, want := range map[string]string{
		"report.pdf": "report.pdf", "../../etc/passwd": "passwd", `C:\work\a.txt`: "a.txt",
		".bashrc": "bashrc", "": "file",
		"..": "file", "/": "file", "a\nb\x00.md": "a-b-.md", "Übersicht März.xlsx": "Übersicht März.xlsx", "-rf": "rf",
		"a:b|c?.txt": "a-b-c-.txt", "x\u202egnp.exe": "x-gnp.exe",
		strings.Repeat("é", 200) + ".png": strings.Repeat("é", 48) + ".png",
		"CLAUDE.md":                       "document-CLAUDE.md", "trailing. ": "trailing",
		"claude.local.md": "document-claude.local.md", "agents.MD": "document-agents.MD", ".claude/CLAUDE.md": "document-CLAUDE.md",
		"AGENTS.override.md": "document-AGENTS.override.md", "GEMINI.md ": "document-GEMINI.md", "SKILL.md": "document-SKILL.md",
		"AGENTS": "document-AGENTS", "agents.pdf": "agents.pdf", "our-agents.md": "our-agents.md", "claude.png": "claude.png",
		strings.Repeat("y", 95) + " z.md": strings.Repeat("y", 95) + " z.md",
		strings.Repeat("y", 96) + " z.md": strings.Repeat("y", 96) + ".md",
		"." + strings.Repeat("y", 300):    strings.Repeat("y", 100),
	} {
		if got := FileName(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
	for n, want := range map[int]string{1: "a.tar.gz", 2: "a.tar-2.gz", 3: "a.tar-3.gz"} {
		if got := Numbered("a.tar.gz", n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
