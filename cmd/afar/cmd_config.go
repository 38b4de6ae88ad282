package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/terminal"
)

// A setting is one value in force.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show the settings in force and where each comes from", Args: exactly(),
		Example: "afar config --json"}
	asJSON := jsonFlag(c, "settings: a list of key, value, from")
	c.RunE = func(*cobra.Command, []string) error {
		list, err := a.settings()
		if err != nil {
			return err
		}
		if *asJSON {
			return a.printJSON(map[string]any{"settings": list})
		}
		p := a.page()
		var rows [][]string
		for _, s := range list {
			rows = append(rows, []string{p.Paint(terminal.Bold, s.Key), p.Path(s.Value), p.Paint(terminal.Dim, s.From)})
		}
		p.Table(rows)
		return nil
	}
	return c
}

func (a *app) settings() ([]setting, error) {
	d, err := a.dirs()
	if err != nil {
		return nil, err
	}
	run := "XDG_RUNTIME_DIR"
	if d.Run == filepath.Join(d.State, "run") {
		run = "XDG_STATE_HOME"
	}
	list := []setting{
		{"config", d.ConfigFile(), a.origin("XDG_CONFIG_HOME")},
		{"state", d.State, a.origin("XDG_STATE_HOME")},
		{"socket", d.Socket(), a.origin(run)},
		{"log", d.Log(), a.origin("XDG_STATE_HOME")},
		{"workspace", d.Workspace, a.origin("no variable")},
	}
	file, err := config.Load(d.ConfigFile())
	if err != nil {
		return list, err
	}
	for _, k := range file.Settings() {
		from := "config.toml"
		switch {
		case k.Key == "web.addr" && a.getenv(config.WebAddrVar) != "":
			k.Value, from = file.Web.Served(a.getenv), config.WebAddrVar
		case k.Default:
			from = "default"
		}
		list = append(list, setting{k.Key, k.Value, from})
	}
	return list, nil
}

// origin says what decided where a directory is.
func (a *app) origin(xdg string) string {
	switch {
	case home.InSession(a.getenv) && home.Pinned(a.bin):
		return "afar.pin"
	case a.getenv("AFAR_HOME") != "":
		return "AFAR_HOME"
	case filepath.IsAbs(a.getenv(xdg)):
		return xdg
	}
	return "default"
}
