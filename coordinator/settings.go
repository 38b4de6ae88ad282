package coordinator

import (
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// A setup holds the settings of the file, and the values that the parts of a coordinator
// take from them.
type setup struct {
	config.Config
	Rules     core.Rules
	Reviewers consult.Config // whom this process asks to review a commit
	Asked     consult.Config // whom it asks background questions
}

// loadSetup reads the settings file.
func loadSetup(path string) (set setup, err error) {
	if set.Config, err = config.Load(path); err != nil {
		return set, err
	}
	if set.Rules, err = rules(set.Config); err != nil {
		return set, err
	}
	if set.Reviewers, err = asking(set.Consult.Programs, set.Consult.Timeout); err != nil {
		return set, err
	}
	set.Asked, err = asking([]string{set.Background.Program}, set.Background.Timeout)
	return set, err
}

// changeConfig writes settings into the file and has them in force. It returns the lines that are new.
func (c *Coordinator) changeConfig(values map[string]string) (written []string, err error) {
	c.changing.Lock()
	defer c.changing.Unlock()
	written, err = config.Set(c.cfg.Dirs.ConfigFile(), values)
	if err != nil || len(written) == 0 {
		return nil, err
	}
	set, err := loadSetup(c.cfg.Dirs.ConfigFile())
	if err != nil {
		return nil, err
	}
	return written, c.core.Use(set.Rules)
}

// asking returns how the programs for these words are asked.
func asking(words []string, timeout config.Duration) (consult.Config, error) {
	programs, err := consult.Programs(words)
	return consult.Config{Programs: programs, Timeout: time.Duration(timeout)}, err
}

func rules(set config.Config) (core.Rules, error) {
	r := core.Rules{
		RemindAfter: time.Duration(set.Escalation.After),
		RetryAfter:  time.Duration(set.Loop.RetryAfter),
		MostTurns:   set.Runs.Max,
		RunTimes: run.Times{
			Silence:  time.Duration(set.Runs.Silence),
			Ending:   time.Duration(set.Runs.Ending),
			Leaving:  time.Duration(set.Runs.Leaving),
			Starting: time.Duration(set.Runs.Starting),
		},
		DayOfLoops: set.Loop.DayBudget,
		DayOfRuns:  set.Runs.DayBudget,
		HoldRuns:   time.Duration(set.Runs.Hold),
		ShellsFor:  time.Duration(set.Loop.ShellsFor),
		Times:      times(set.Asks),
		RunDepth:   set.Runs.Depth,
		Background: set.Background.Budget,
	}
	if set.Report.Daily != (config.Clock{}) {
		r.Daily = trigger.DailyRule(set.Report.Daily.At, set.Quiet.Zone)
	}
	if !set.Quiet.On() {
		return r, nil
	}
	zone, err := set.Quiet.Location()
	r.Quiet = session.Quiet{From: set.Quiet.From.At, To: set.Quiet.To.At, Zone: zone}
	return r, err
}

// times returns the person's own times for asks, 0 for each default.
func times(set config.Asks) ask.Times {
	own := func(d, usual config.Duration) time.Duration {
		if d == usual {
			return 0
		}
		return time.Duration(d)
	}
	usual := config.AsksByDefault
	return ask.Times{
		Grace:      own(set.Grace, usual.Grace),
		Attended:   own(set.Attended, usual.Attended),
		Unattended: own(set.Unattended, usual.Unattended),
		Subagent:   own(set.Subagent, usual.Subagent),
		Grant:      own(set.Grant, usual.Grant),
	}
}
