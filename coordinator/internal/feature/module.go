package feature

import (
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/approved"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// moduleParts is nil for a module that only got one more event.
func moduleParts(before, after module.Module) []wake.Part {
	if before.File == after.File {
		return nil
	}
	return []wake.Part{Modules}
}

// ErrDisabled says that a module is not enabled, or with another content.
var ErrDisabled = errors.New("the module is not enabled")

func (s *draft) noteModule(kind event.Kind, name module.Name, text string) {
	s.Record(kind, "", string(name), "module "+string(name)+": "+core.Folded(text))
}

// moduleClaims returns what the modules claim that are enabled.
func (s *draft) moduleClaims() (all []core.Claim) {
	for _, m := range s.modules.Rows {
		if !m.On {
			continue
		}
		all = append(all, core.Claim{
			Row: store.Modules.Table + " " + string(m.Name), Kind: event.ModuleEnabled, Subject: string(m.Name),
			Proof: core.Proof(m.Hash), TakeBack: func(d *core.Draft) {
				m.File = approved.File{Held: core.Unproven}
				s.modules.Put(d.Batch, m)
			},
		})
	}
	return all
}

// EnableModule enables the content of a folder for the person by.
func (c *Core) EnableModule(name module.Name, hash, by string) (m module.Module, err error) {
	err = c.do(func(s *draft) error {
		m = s.modules.Rows[name]
		m.Name = name
		m = m.Enable(hash, by, s.Now)
		s.modules.Put(s.Batch, m)
		s.noteModule(event.ModuleEnabled, name, "enabled by "+by+" (sha256 "+core.Short(hash)+")"+core.Proof(hash))
		return nil
	})
	return m, err
}

// DisableModule disables a module for the person by.
func (c *Core) DisableModule(name module.Name, by string) (m module.Module, err error) {
	err = c.do(func(s *draft) error {
		if m = s.modules.Rows[name]; !m.Known() {
			return fmt.Errorf("module %q: %w", name, core.ErrNotFound)
		}
		m = m.Disable(by, s.Now)
		s.modules.Put(s.Batch, m)
		s.noteModule(event.ModuleDisabled, name, "disabled by "+by)
		return nil
	})
	return m, err
}

// LookedAtModule notes how the folder of a module differs from the one with this hash, "" if it does
// not. The person is told once. It does nothing if the person has enabled another content since.
func (c *Core) LookedAtModule(name module.Name, hash, why string) error {
	return c.do(func(s *draft) error {
		m := s.modules.Rows[name]
		if !m.On || m.Hash != hash || m.Held == why {
			return nil
		}
		m.File = m.Hold(why, s.Now)
		s.modules.Put(s.Batch, m)
		if why == "" {
			s.noteModule(event.ModuleChanged, name, "its folder is again what "+m.By+" enabled")
			return nil
		}
		s.noteModule(event.ModuleDisabled, name, "held: "+why)
		s.Notify("module:"+string(name), "", channel.News{Kind: channel.ModuleHeld, Of: string(name), Why: core.Folded(why)})
		return nil
	})
}

// Module returns what is kept of a module. A folder that no person has enabled has nothing.
func (c *Core) Module(name module.Name) (m module.Module, ok bool) {
	c.view(func(s *draft) { m = s.modules.Rows[name] })
	return m, m.Known()
}

// Modules returns what is kept of all modules, by name.
func (c *Core) Modules() (all []module.Module) {
	c.view(func(s *draft) { all = s.modules.Sorted() })
	return all
}

// TakeEvent sends an event of a module's source to triage. An event whose id has come within the
// last days is taken and not sent again. It returns ErrDisabled unless the module is enabled with
// this hash. A module has one source, so two events of it never come at once.
func (c *Core) TakeEvent(name module.Name, hash string, e module.Event) error {
	var seen module.Seen
	if e.ID != "" {
		var err error
		if seen, _, err = store.Seen.Get(c.cfg.Store, module.KeyOf(name, e.ID)); err != nil {
			return err
		}
	}
	return c.do(func(s *draft) error {
		m := s.modules.Rows[name]
		switch {
		case !m.Live(), m.Hash != hash:
			return ErrDisabled
		case seen.Covers(s.Now):
			return nil
		}
		s.modules.Put(s.Batch, m.Came(s.Now))
		if e.ID != "" {
			store.Seen.Put(s.Batch, module.Seen{Key: module.KeyOf(name, e.ID), At: s.Now})
		}
		by := "module " + string(name)
		s.Post(message.Message{
			Key:     "module:" + c.cfg.Secret(),
			To:      message.ToTriage,
			Text:    message.Fence(by, e.Text, c.cfg.Secret()),
			By:      by,
			Channel: "module",
			Data:    true,
		})
		return nil
	})
}

// mostGarbled is how many lines that are no events the journal names until the module is enabled
// again.
const mostGarbled = 20

// GarbledLine notes a line of a module's source that is no event. The person is told of the first
// one since the module was enabled.
func (c *Core) GarbledLine(name module.Name, hash, why string) error {
	return c.do(func(s *draft) error {
		m := s.modules.Rows[name]
		if !m.Live() || m.Hash != hash {
			return ErrDisabled
		}
		s.modules.Put(s.Batch, m.Garbled(why))
		if m.Bad < mostGarbled {
			s.noteModule(event.ModuleGarbled, name, "a line of its source is no event: "+why)
		}
		if m.Bad == 0 {
			s.Notify("module:"+string(name), "",
				channel.News{Kind: channel.ModuleGarbled, Of: string(name), Why: core.Folded(why)})
		}
		return nil
	})
}

// StartedSource notes that the source of a module runs.
func (c *Core) StartedSource(name module.Name, pid int) error {
	return c.do(func(s *draft) error {
		s.noteModule(event.ModuleStarted, name, fmt.Sprintf("its source runs as process %d", pid))
		return nil
	})
}

// EndedSource notes that the source of a module has ended by itself, and with tell says so to the
// person.
func (c *Core) EndedSource(name module.Name, why string, tell bool) error {
	return c.do(func(s *draft) error {
		s.noteModule(event.ModuleEnded, name, "its source has ended: "+why)
		if tell {
			s.Notify("module:"+string(name), "",
				channel.News{Kind: channel.ModuleEnds, Of: string(name), Why: core.Folded(why)})
		}
		return nil
	})
}
