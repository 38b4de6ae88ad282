package task

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A File is a file in the folder of a task.
type File struct {
	Path string // below the folder of the task
	Size int64
	At   time.Time // when it was last written
}

// MaxArtifact is the largest file that a person can hand to a task, in bytes. A bot gets no
// larger ones from Telegram.
const MaxArtifact = 20 << 20

// maxFileName bounds the name of a file, in bytes, with room for a number.
const maxFileName = 100

// FileName returns a name for a file that came with another name: no path, not hidden, without
// characters that a shell or another system reads in a different way, and no name under which
// agents would take its text for instructions.
func FileName(given string) string {
	given = path.Base(strings.ReplaceAll(given, "\\", "/"))
	name := strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, !unicode.IsPrint(r), strings.ContainsRune(`<>:"/|?*`, r):
			return '-'
		}
		return r
	}, given)
	name = strings.Trim(name, " .-")
	ext := path.Ext(name)
	if len(ext) > 20 || ext == name {
		ext = ""
	}
	stem := clipBytes(strings.TrimSuffix(name, ext), maxFileName-len(ext))
	if stem == "" {
		stem = "file"
	}
	if instructs(stem, ext) {
		stem = "document-" + stem
	}
	return stem + ext
}

// instructions are the names, up to the first dot, of files that agents read as instructions wherever
// they find them.
var instructions = []string{
	"agent", "agents", "claude", "copilot-instructions", "crush", "gemini", "opencode", "qwen", "skill", "warp",
}

// textual are the extensions of such files.
var textual = []string{"", ".md", ".mdc", ".mdx", ".markdown", ".txt", ".json", ".jsonc"}

// instructs reports whether agents would read a file with this name as instructions, not as a document
// that a person has sent.
func instructs(stem, ext string) bool {
	name, _, _ := strings.Cut(stem, ".") // CLAUDE.local.md, AGENTS.override.md
	named := func(as string) bool { return strings.EqualFold(as, strings.TrimSpace(name)) }
	return slices.Contains(textual, strings.ToLower(ext)) && slices.ContainsFunc(instructions, named)
}

// Numbered returns the nth name of a file: report.pdf, report-2.pdf, report-3.pdf.
func Numbered(name string, n int) string {
	if n < 2 {
		return name
	}
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + strconv.Itoa(n) + ext
}

// clipBytes returns at most most bytes of a text, and no half characters.
func clipBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return strings.TrimRight(s[:most], " .")
}
