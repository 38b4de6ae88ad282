package tools

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

type wakeArgs struct {
	In    string `json:"in,omitempty" jsonschema:"how long from now, such as 90m or 24h; this or at"`
	At    string `json:"at,omitempty" jsonschema:"when, as in 2026-12-01T09:00:00+01:00; this or in"`
	Text  string `json:"text" jsonschema:"what you will be told then: what to look at, and why"`
	Check string `json:"check,omitempty" jsonschema:"a shell command: you are woken as soon as it exits with 0 (1 is not yet), and in or at is how long it is tried"`
	Every string `json:"every,omitempty" jsonschema:"how often the check runs, such as 10m; 5m if it is left out, at least 1m"`
}

const aboutWake = "Wake me later: have a reminder sent to yourself at a time, so that you can stop now instead of " +
	"sleeping or polling. With a check, you are woken as soon as a command succeeds, for example when a build is " +
	"over; the person is asked first. The text reaches you as a message then, also when you have stopped. The " +
	"person sees it among the triggers and may cancel it. At most 20 are open, at least a minute apart."

func (s *Server) offerWakes() {
	offer(s, wire.ToolWakeMe, aboutWake, wakeMe)
}

// usualEvery is how often a check runs if the agent does not say.
const usualEvery = 5 * time.Minute

func wakeMe(c call, in wakeArgs) (string, error) {
	at, err := wakeTime(in, time.Now())
	if err != nil {
		return "", err
	}
	every, err := checkEvery(in)
	if err != nil {
		return "", err
	}
	out, err := ask(c, wire.OpWake, wire.WakeRequest{
		ID:      c.id,
		At:      at.UnixMilli(),
		Text:    in.Text,
		Check:   in.Check,
		EveryMS: every.Milliseconds(),
	})
	switch {
	case err != nil:
		return "", err
	case out.Ask != "":
		return fmt.Sprintf("The person is asked whether the check may run (%s). If they allow it, it runs every %s, "+
			"and you are woken as soon as it passes, or at %s if it has not. If they do not, you are told. You can "+
			"stop now.", out.Ask, every, clock(out.Next)), nil
	case in.Check != "":
		return fmt.Sprintf("The person allowed it: the check runs, and you are woken when it passes (trigger %s). "+
			"You can stop now.", out.ID), nil
	}
	return fmt.Sprintf("You are woken at %s (trigger %s). You can stop now.", clock(out.Next), out.ID), nil
}

// wakeTime returns when an agent wants to be woken, or until when its check is to run.
func wakeTime(in wakeArgs, now time.Time) (time.Time, error) {
	switch {
	case (in.In == "") == (in.At == ""):
		return now, fmt.Errorf("give either in, such as 90m, or at, such as %s",
			now.Add(time.Hour).Format(time.RFC3339))
	case in.In != "":
		d, err := time.ParseDuration(in.In)
		if err != nil {
			return now, fmt.Errorf("in is %.40q; want a length of time such as 90m or 24h", in.In)
		}
		return now.Add(d), nil
	}
	at, err := time.Parse(time.RFC3339, in.At)
	if err != nil {
		return now, fmt.Errorf("at is %.40q; want a time such as %s", in.At, now.Add(time.Hour).Format(time.RFC3339))
	}
	return at, nil
}

// checkEvery returns how often the check of a wake-up runs, 0 without a check.
func checkEvery(in wakeArgs) (time.Duration, error) {
	switch {
	case in.Check == "" && in.Every != "":
		return 0, fmt.Errorf("every is for a check alone; give the check, or leave every out")
	case in.Check == "":
		return 0, nil
	case in.Every == "":
		return usualEvery, nil
	}
	d, err := time.ParseDuration(in.Every)
	if err != nil {
		return 0, fmt.Errorf("every is %.40q; want a length of time such as 10m", in.Every)
	}
	return d, nil
}
