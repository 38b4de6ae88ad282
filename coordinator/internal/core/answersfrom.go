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
	c.View(func(s *State, _ time.Time) { err = s.Counts(channel) })
	return err
}

// Counts returns ErrChannel when answers from a channel do not count.
func (s *State) Counts(channel string) error {
	from := s.Settings.AnswersFrom
	if len(from) == 0 || slices.Contains(from, channel) {
		return nil
	}
	return fmt.Errorf("%w: answers_from in config.toml names %s alone", ErrChannel, strings.Join(from, " and "))
}

// answersFrom takes from config.toml which channels count. It tells the person of a
// change, because others may be able to write that file too.
func answersFrom(list []string) func(*Draft) error {
	return func(s *Draft) error {
		if slices.Equal(s.Settings.AnswersFrom, list) {
			return nil
		}
		s.NewSettings().AnswersFrom = slices.Clone(list)
		text := "answers count from every channel"
		if len(list) > 0 {
			text = "answers count from " + strings.Join(list, " and ") + " alone"
		}
		s.Record(event.AnswersFrom, "", "", text)
		s.Notify("answers-from", "", channel.News{Kind: channel.AnswersFrom, What: text})
		return nil
	}
}
