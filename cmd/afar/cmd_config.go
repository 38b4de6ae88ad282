package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator"
	"github.com/afar-sh/afar/coordinator/home"
)

// A setting is one value in force.
type setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func newConfig(a *app) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show the settings in force and where each comes from", Args: exactly()}
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
		var rows [][]cell
		for _, s := range list {
			rows = append(rows, []cell{{s.Key, bold}, plain(p.path(s.Value)), {s.From, dim}})
		}
		p.table(rows)
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
	api, err := a.telegramAPI(d)
	if err != nil {
		return list, err
	}
	hold, err := checkInHold(d)
	if err != nil {
		return list, err
	}
	day, err := loopDayBudget(d)
	if err != nil {
		return list, err
	}
	from, err := answersFrom(d)
	return append(list, api, hold, day, from), err
}

func loopDayBudget(d home.Dirs) (setting, error) {
	usd, err := coordinator.LoopDayBudget(d)
	if usd == 0 {
		return setting{"loop.day_budget", "no limit", "default"}, err
	}
	return setting{"loop.day_budget", fmt.Sprintf("$%.2f", usd), "config.toml"}, err
}

func answersFrom(d home.Dirs) (setting, error) {
	list, err := coordinator.AnswersFrom(d)
	if len(list) == 0 {
		return setting{"answers_from", "every channel", "default"}, err
	}
	return setting{"answers_from", strings.Join(list, ", "), "config.toml"}, err
}

func checkInHold(d home.Dirs) (setting, error) {
	hold, err := coordinator.CheckInHold(d)
	from := "config.toml"
	if hold == coordinator.DefaultHold {
		from = "default"
	}
	return setting{"checkin.hold", hold.String(), from}, err
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

// telegramAPI reads config.toml as the coordinator would: what it refuses is
// refused here, by key and line.
func (a *app) telegramAPI(d home.Dirs) (setting, error) {
	api, err := coordinator.TelegramAPI(d)
	if err != nil {
		return setting{}, err
	}
	from := "config.toml"
	if api == coordinator.DefaultAPI {
		from = "default"
	}
	return setting{"telegram.api", api, from}, nil
}
