package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	pluginID  = home.PluginID
	pluginFix = "run install.sh again, or: claude plugin install " + pluginID
	hostFor   = 10 * time.Second
	// aliasMark is in each version of the command file that install.sh writes.
	aliasMark = "# Written by Afar's install.sh"
)

// host checks the installed clients, and that Claude Code loads the plugin.
func (x Exam) host(ctx context.Context) []wire.Check {
	path := home.LookIn(x.Getenv("PATH"), "claude")
	if path == "" {
		return []wire.Check{off("claude", "Claude Code is not on PATH", "install it, then "+installFix)}
	}
	var found []wire.Check
	for _, c := range Clients(x.Dirs, x.Getenv("PATH")) {
		found = append(found, x.client(c))
	}
	out, err := listPlugins(ctx, path)
	if err != nil {
		return append(found, bad("plugin", "claude plugin list: "+err.Error(), "type `claude plugin list` and see"))
	}
	return append(found, pluginCheck(out, filepath.Dir(x.Bin)))
}

// listPlugins asks the client for its plugins. It runs outside any project, whose settings
// could change the answer, and without a terminal, so that the client cannot ask.
func listPlugins(ctx context.Context, claude string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, hostFor)
	defer cancel()
	c := exec.CommandContext(ctx, claude, "plugin", "list", "--json")
	c.Dir = filepath.VolumeName(claude) + string(filepath.Separator)
	c.WaitDelay = time.Second
	out, err := c.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer within %s", hostFor)
	}
	return out, err
}

// pluginCheck looks for Afar's plugin in the host's list. root is where it should be. In a
// list of an unknown form pluginCheck looks only for the name.
func pluginCheck(out []byte, root string) wire.Check {
	var list []struct {
		ID      string            `json:"id"`
		Enabled *bool             `json:"enabled"`
		Errors  []json.RawMessage `json:"errors"`
		Folder  string            `json:"readFromFolder"` // newer clients say it, of a local marketplace
	}
	if err := json.Unmarshal(out, &list); err != nil {
		if bytes.Contains(out, []byte(pluginID)) {
			return ok("plugin", "%s is installed", pluginID)
		}
		return off("plugin", "not in Claude Code: nothing is guarded", pluginFix)
	}
	found := off("plugin", "not in Claude Code: nothing is guarded", pluginFix)
	for _, p := range list {
		switch {
		case p.ID != pluginID:
		case len(p.Errors) > 0:
			return bad("plugin", "Claude Code does not load it: "+string(p.Errors[0]), pluginFix)
		case p.Enabled != nil && !*p.Enabled:
			found = bad("plugin", "it is switched off in Claude Code", "claude plugin enable "+pluginID)
		case p.Folder != "" && !sameFolder(p.Folder, root):
			found = bad("plugin", "Claude Code loads the one in "+p.Folder+", not in "+root,
				"run install.sh of the one that you want")
		default:
			return ok("plugin", "%s is loaded", pluginID)
		}
	}
	return found
}

func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// loopAlias returns a check that says which program a bare /loop belongs to. No answer is
// wrong, because /afar:loop always belongs to Afar.
func (x Exam) loopAlias() wire.Check {
	raw, err := os.ReadFile(filepath.Join(x.hostDir(), "commands", "loop.md"))
	switch {
	case err != nil:
		return off("/loop", "is Claude Code's; Afar's is /afar:loop", "install.sh makes it Afar's")
	case !strings.Contains(string(raw), aliasMark):
		return off("/loop", "is a command of your own; Afar's is /afar:loop", "")
	}
	return ok("/loop", "is Afar's")
}
