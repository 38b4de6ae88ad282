package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/wire"
)

// tools checks that Claude Code looks for the tools, and the guard lets them pass, where the page
// is served: both go by a variable of Claude Code's environment, and not by config.toml. A running
// coordinator says where it serves the page: it may have been started with another address.
func (x Exam) tools(ctx context.Context) wire.Check {
	if x.unset != nil {
		return off("tools", "not checked, because config.toml cannot be read", "")
	}
	inShell := x.Getenv(config.WebAddrVar)
	served, from := x.set.Web.Served(x.Getenv), "web.addr in config.toml"
	if inShell != "" {
		from = config.WebAddrVar
	}
	now, err := x.Tools(ctx)
	runs := err == nil
	if u, err := url.Parse(now.URL); runs && err == nil && now.URL != "" && u.Host != served {
		served, from = u.Host, "the page"
	}
	settings := filepath.Join(x.hostDir(), "settings.json")
	given := cmp.Or(hostEnv(settings, config.WebAddrVar), inShell, config.WebAddr)
	switch {
	case served == config.WebOff:
		return off("tools", "the page is off, so Claude Code has no tools of Afar's",
			"set web.addr in config.toml to have them")
	case runs && now.URL == "":
		return bad("tools", "the page is not served, so Claude Code has no tools of Afar's: "+line(now.Note, 200),
			"mend that, then afar restart")
	case given != served:
		return bad("tools", fmt.Sprintf("Claude Code looks for them at %s, and %s is at %s", given, from, served),
			fmt.Sprintf(`write "env": {"%s": "%s"} into %s, and start Claude Code anew`, config.WebAddrVar,
				served, settings))
	}
	return ok("tools", "Claude Code looks for them where the page is served, %s", served)
}

// hostEnv returns a variable that a settings file of Claude Code sets, "" if it does not.
func hostEnv(path, name string) string {
	var settings struct {
		Env map[string]string `json:"env"`
	}
	raw, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(raw, &settings) != nil {
		return ""
	}
	return settings.Env[name]
}
