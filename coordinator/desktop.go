package coordinator

import (
	"context"
	"html"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// A desktop is the program of a system that shows a notification where the person sits: its path and its arguments
// before a title and a text. The zero value is none.
type desktop struct {
	program string
	args    []string
	env     []string
	markup  bool // the text is markup
}

// desktopOf returns the desktop of this user on a system: osascript, or notify-send where their session has a bus.
func desktopOf(system string, dirs home.Dirs) desktop {
	switch system {
	case "darwin":
		const show = "display notification (item 2 of argv) with title (item 1 of argv)"
		return desktop{
			program: dirs.Program("osascript"), args: []string{"-e", "on run argv", "-e", show, "-e", "end run"},
		}
	case "linux":
		bus := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus")
		if _, err := os.Stat(bus); err != nil {
			break
		}
		return desktop{
			program: dirs.Program("notify-send"), args: []string{"--app-name=Afar", "--"},
			env: []string{"DBUS_SESSION_BUS_ADDRESS=unix:path=" + bus}, markup: true,
		}
	}
	return desktop{}
}

// ringFor is how long the program may take.
const ringFor = 5 * time.Second

// ring shows what the page has new on the desktop of this machine. It does nothing while a browser shows the page,
// which notifies by itself, and while the person is away and has a phone.
func (c *Coordinator) ring(ctx context.Context, said string) {
	d := desktopOf(runtime.GOOS, c.cfg.Dirs)
	away := c.core.Settings().Away.Mode == session.On && c.core.Person(telegram.Name) != nil
	if d.program == "" || away || c.web.Watched() {
		return
	}
	said = text.Clip(text.Fold(redact.Visible(said)), 300)
	if d.markup {
		said = html.EscapeString(said)
	}
	_, err := child.Program{
		Path: d.program, Args: append(d.args, "Afar", said), Dir: c.cfg.Dirs.User,
		Env: append(c.cfg.Dirs.Env(), d.env...), Limit: ringFor, Grace: time.Second, Most: 1 << 10,
	}.Run(ctx)
	if err != nil {
		c.cfg.Log.Debug("show a notification on the desktop", "err", err)
	}
}
