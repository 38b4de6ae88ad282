package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// ErrChannel says that answers from a channel do not count here.
var ErrChannel = errors.New("answers from here do not count")

// Counts returns ErrChannel when answers from a channel do not count.
func (c *Core) Counts(channel string) (err error) {
	c.view(func(s *state, _ time.Time) { err = s.counts(channel) })
	return err
}

func (s *state) counts(channel string) error {
	from := s.settings.AnswersFrom
	if len(from) == 0 || slices.Contains(from, channel) {
		return nil
	}
	return fmt.Errorf("%w: answers_from in config.toml names %s alone", ErrChannel, strings.Join(from, " and "))
}

// answersFrom takes from config.toml which channels count. It tells the person of a
// change, because others may be able to write that file too.
func answersFrom(list []string) func(*draft) error {
	return func(s *draft) error {
		if slices.Equal(s.settings.AnswersFrom, list) {
			return nil
		}
		s.newSettings().AnswersFrom = slices.Clone(list)
		text := "answers count from every channel"
		if len(list) > 0 {
			text = "answers count from " + strings.Join(list, " and ") + " alone"
		}
		s.record(event.AnswersFrom, "", "", text)
		s.notify("answers-from", "", channel.News{Kind: channel.AnswersFrom, What: text})
		return nil
	}
}
