package feature

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// SettingsRefused records that a hook kept a session from accepting settings that
// would switch the guard off. It tells the person once of each such change.
func (c *Core) SettingsRefused(id session.ID, text string) error {
	return c.do(func(s *draft) error {
		v, what := s.Sessions.Rows[id], "did not take over a change of settings that would switch the guard off. "+text
		if v.Settings == text {
			s.Record(event.SettingsRefused, id, v.Token, v.Token+" "+what)
			return nil
		}
		v.Settings = text
		s.alarm(v, event.SettingsRefused, what)
		return nil
	})
}

// alarm tells the person that something tries to get past the guard: on the channels,
// in the journal and at the session's terminal. It does so during a pause too, because
// the guard still works then.
func (s *draft) alarm(v session.Session, kind event.Kind, what string) {
	s.Sessions.Put(s.Batch, session.TellPerson(v, "Afar: "+what))
	s.Record(kind, v.ID, v.Token, v.Token+" "+what)
	s.Notify("alarm", v.ID, channel.News{Kind: channel.Alarm, Of: v.Token, What: what})
}

// TakeNotices returns and removes the notices that wait for a session's terminal, one
// per line.
func (c *Core) TakeNotices(id session.ID) (text string, err error) {
	err = c.do(func(s *draft) error {
		v := s.Sessions.Rows[id]
		if len(v.Notices) == 0 {
			return nil
		}
		text = strings.Join(v.Notices, "\n")
		v.Notices = nil
		s.Sessions.Put(s.Batch, v)
		return nil
	})
	return text, err
}

// An Override is a call that ran although the guard did not allow it.
type Override struct {
	Session session.ID
	Call    string // the host's tool_use_id
	Tool    string
	Denied  bool     // the guard denied it; else it never saw it
	Mods    []string // of other plugins, that can do this
}

// maxOverrides is how many calls that got past the guard are remembered for a session.
// The person is told of each call once.
const maxOverrides = 100

// Overridden records that a call got past the guard.
func (c *Core) Overridden(o Override) error {
	return c.do(func(s *draft) error {
		v, ok := s.Sessions.Rows[o.Session]
		if !ok || slices.Contains(v.Overridden, o.key()) {
			return nil
		}
		first := !slices.ContainsFunc(v.Overridden, func(key string) bool { return strings.HasPrefix(key, unseen) })
		kept := v.Overridden[max(0, len(v.Overridden)-maxOverrides+1):]
		v.Overridden = append(append([]string{}, kept...), o.key())
		if o.Denied || first {
			s.alarm(v, event.GuardOverridden, o.text())
			return nil
		}
		s.Sessions.Put(s.Batch, v)
		s.Record(event.GuardOverridden, v.ID, v.Token, v.Token+" "+o.text())
		return nil
	})
}

// unseen begins the key of a call that the guard never saw.
const unseen = "unseen "

func (o Override) key() string {
	if o.Denied {
		return o.Call
	}
	return unseen + o.Call
}

func (o Override) text() string {
	text := "ran " + o.Tool + " without the guard: it never saw the call (" + o.Call + ")."
	if o.Denied {
		text = "ran " + o.Tool + " although the guard denied it (" + o.Call + "): denied by the guard, ran anyway."
	}
	if len(o.Mods) == 0 {
		return text + " Something in Claude Code overruled or silenced Afar's hook: `afar doctor`."
	}
	return text + " Mods that can do this: " + strings.Join(o.Mods, ", ") + "."
}
