package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The numbers of last lines of each log in a report.
const (
	reportedLines = 200
	reportedBytes = 256 << 10
)

// writeReport writes what a bug report needs into a new file, masked. It works without a
// coordinator. If a part is missing, the report says why.
func (a *app) writeReport(path string, found wire.DoctorReply) error {
	if path == "" {
		return usage("--report needs a file that does not exist yet")
	}
	d, err := a.dirs()
	if err != nil {
		return err
	}
	text := a.reportText(d, found)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: name another file", path)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	a.say("Written: %s", path)
	a.say("Known forms of secrets are masked in it. Read it before you send it to anybody.")
	return nil
}

func (a *app) reportText(d home.Dirs, found wire.DoctorReply) string {
	var b bytes.Buffer
	p := &terminal.Page{W: &b, Now: a.now(), Home: a.getenv("HOME")}
	p.Line("Afar, a report of %s", a.now().UTC().Format(time.DateTime+" MST"))
	p.Head("# Versions")
	p.Line("  afar %s, protocol %d, %s, %s/%s", versionText(), wire.Version, runtime.Version(), runtime.GOOS,
		runtime.GOARCH)
	p.Line("  claude %s", a.clientVersion())
	p.Head("# Doctor")
	terminal.Checks(p, found)
	p.Head("# Settings")
	a.reportSettings(p)
	p.Head("# The coordinator's log, the last lines")
	reportFile(p, d.Log())
	p.Head("# The coordinator's words before its log was open")
	reportFile(p, d.CrashLog())
	p.Head("# Hooks, the last lines (afar debug)")
	a.reportHooks(p, d)
	return a.clean(d, b.String())
}

// clean masks the bot's token and everything that looks like a secret in a report, and
// writes the person's home as ~.
func (a *app) clean(d home.Dirs, text string) string {
	stored, _ := os.ReadFile(d.TokenFile()) // most people have none
	for _, token := range []string{strings.TrimSpace(string(stored)), a.getenv("AFAR_TELEGRAM_TOKEN")} {
		if token != "" {
			text = strings.ReplaceAll(text, token, "•••")
		}
	}
	if home := a.getenv("HOME"); len(home) > 1 {
		text = strings.ReplaceAll(text, home, "~")
	}
	return redact.Clean(text)
}

func (a *app) clientVersion() string {
	path := home.LookIn(a.getenv("PATH"), "claude")
	if path == "" {
		return "is not on PATH"
	}
	version := claude.Version(path, nil, answerFor)
	if version == "" {
		version = "of an unknown version"
	}
	return version + " in " + path
}

func (a *app) reportSettings(p *terminal.Page) {
	list, err := a.settings()
	if err != nil {
		p.Line("  %s", terminal.OneLine(err.Error(), 500))
	}
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{s.Key, terminal.OneLine(s.Value, 200), s.From})
	}
	p.Table(rows)
}

func (a *app) reportHooks(p *terminal.Page, d home.Dirs) {
	lines, err := lastLines(d.HooksLog())
	if err != nil {
		p.Line("  %s", terminal.OneLine(err.Error(), 500))
	}
	hooks := drawn(p, lines, logging{}.hookLine(nil))
	p.Lines(hooks[max(0, len(hooks)-reportedLines):])
}

// reportFile shows the last lines of a log.
func reportFile(p *terminal.Page, path string) {
	raw, err := logfile.Tail(path, reportedBytes)
	if errors.Is(err, fs.ErrNotExist) {
		p.Line("  none")
		return
	}
	if err != nil {
		p.Line("  %s", terminal.OneLine(err.Error(), 500))
		return
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines[max(0, len(lines)-reportedLines):] {
		p.Line("  %s", terminal.OneLine(line, 2000))
	}
}
