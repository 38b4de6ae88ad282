package noun

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Memory is what the server asks of memory.
type Memory interface {
	Search(question string, n int) (docs, lines []memory.Result, err error)
	Facts() ([]memory.Fact, []memory.Broken, error)
	Archived() ([]memory.Fact, []memory.Broken, error)
	Fact(memory.Name) (f memory.Fact, archived bool, err error)
	Path(name memory.Name, archived bool) string
	Add(f memory.Fact, byPerson bool) (memory.Fact, memory.Change, error)
	Edit(name memory.Name, base, text, by string) (kept memory.Name, err error)
	Forget(name memory.Name, byPerson bool, by string) error
	Lint(today time.Time) ([]memory.Finding, error)
	Day(date string) (memory.Day, error)
	DayPath(date string) string
	Dates() ([]string, error)
	DaysUntil(until string, most int) (days []memory.Day, next string, err error)
}

// Bounds of a search and of a list of days.
const (
	maxQuery     = 2000 // bytes
	usualResults = 5
	mostResults  = 50
	usualDays    = 7
	mostDates    = 30
)

func (s *Server) memorySearch(_ *door.Call, in wire.MemorySearchRequest) (out wire.MemorySearchReply, err error) {
	if strings.TrimSpace(in.Query) == "" || len(in.Query) > maxQuery || !utf8.ValidString(in.Query) {
		return out, door.BadRequest("a search needs words, at most %d bytes of UTF-8", maxQuery)
	}
	docs, lines, err := s.cfg.Memory.Search(in.Query, min(cmp.Or(max(in.Most, 0), usualResults), mostResults))
	return wire.MemorySearchReply{Results: wire.List(docs, wireResult), Lines: wire.List(lines, wireResult)}, err
}

func wireResult(r memory.Result) wire.MemoryResult {
	return wire.MemoryResult{
		Kind:  r.Kind,
		ID:    r.ID,
		Title: r.Title,
		At:    wire.Millis(r.At),
		Line:  r.Line,
		Text:  r.Text,
		Score: r.Score,
	}
}

func (s *Server) memory(_ *door.Call, in wire.MemoryRequest) (out wire.MemoryReply, err error) {
	read := s.cfg.Memory.Facts
	if in.Archived {
		read = s.cfg.Memory.Archived
	}
	facts, broken, err := read()
	if err != nil {
		return out, err
	}
	out.Broken = wire.List(memory.Lint(nil, broken, time.Now()), wireFinding)
	rivals := map[memory.Name]memory.Name{}
	if !in.Archived {
		rivals = memory.Rivals(facts)
	}
	out.Facts = wire.List(memory.Newest(facts), func(f memory.Fact) wire.Fact {
		w := s.wireFact(f, in.Archived)
		w.Rival = string(rivals[f.Name])
		return w
	})
	return out, nil
}

func (s *Server) wireFact(f memory.Fact, archived bool) wire.Fact {
	return wire.Fact{
		ID:       string(f.Name),
		Title:    f.Title,
		Type:     f.Type,
		Tags:     f.Tags,
		From:     dayText(f.From),
		Until:    dayText(f.Until),
		Source:   f.Source,
		Text:     f.Text,
		Path:     s.cfg.Memory.Path(f.Name, archived),
		Over:     f.Over(time.Now()),
		Changed:  f.WasChanged(),
		Archived: archived,
	}
}

func dayText(day time.Time) string {
	if day.IsZero() {
		return ""
	}
	return day.Format(time.DateOnly)
}

func (s *Server) memoryFact(_ *door.Call, name memory.Name) (out wire.MemoryFactReply, err error) {
	f, archived, err := s.cfg.Memory.Fact(name)
	if out.Fault = memory.Fault(err); err != nil && out.Fault == "" {
		return out, err
	}
	out.Fact, out.File, out.Base = s.wireFact(f, archived), f.File(), markdown.Digest(f.File())
	out.TooLong = len(out.File) > markdown.MaxEdit
	return out, nil
}

func factNamed(name string) (memory.Name, error) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "fact/"), ".md")
	if err := memory.CheckName(name); err != nil {
		return "", door.BadRequest("%v", err)
	}
	return memory.Name(name), nil
}

// memoryAdd keeps a fact, with its source: the person, or the session that adds it.
func (s *Server) memoryAdd(c *door.Call, in wire.MemoryAddRequest) (out wire.MemoryAddReply, err error) {
	source, byPerson := s.memorySource(c)
	f := memory.Fact{Title: in.Title, Text: in.Text, Type: in.Type, Tags: in.Tags, From: time.Now(), Source: source}
	if in.Until != "" {
		if f.Until, err = time.Parse(time.DateOnly, in.Until); err != nil {
			return out, door.BadRequest("unknown date %.40q; want YYYY-MM-DD", in.Until)
		}
	}
	if err := f.Check(); err != nil {
		return out, door.BadRequest("%v", err)
	}
	kept, change, err := s.cfg.Memory.Add(f, byPerson)
	if errors.Is(err, memory.ErrForgotten) {
		return out, door.BadRequest("%v; only the person adds it again: afar memory add", err)
	}
	return wire.MemoryAddReply{Fact: s.wireFact(kept, false), Change: string(change)}, err
}

// memorySource returns who writes into memory, and whether that is the person.
func (s *Server) memorySource(c *door.Call) (source string, byPerson bool) {
	if c.OnChannel() {
		return c.Decider(), true
	}
	v, by := c.Author()
	if r, ok := s.cfg.Core.RunOf(v.ID); ok && v.ID != "" {
		return wire.ToRun + r.Name, false
	}
	if v.ID != "" {
		return "session:" + v.Token, false
	}
	if by == callers.Person {
		return c.Decider(), true
	}
	return by, false
}

func (s *Server) memoryForget(c *door.Call, name memory.Name) (out wire.MemoryForgetReply, err error) {
	source, byPerson := s.memorySource(c)
	out.Change = "archived"
	if byPerson {
		out.Change = "deleted"
	}
	return out, s.cfg.Memory.Forget(name, byPerson, source)
}

// memoryEdit saves the file of a fact that a person wrote in a form.
func (s *Server) memoryEdit(c *door.Call, in wire.MemoryEditRequest) (out wire.MemoryEditReply, err error) {
	name, err := factNamed(in.ID)
	if err != nil {
		return out, err
	}
	if err := checkEdit(in.Text, s.cfg.Memory.Path(name, false)); err != nil {
		return out, err
	}
	kept, err := s.cfg.Memory.Edit(name, in.Base, in.Text, c.Decider())
	out = wire.MemoryEditReply{Kept: string(kept), Fault: memory.Fault(err)}
	if out.Fault != "" {
		err = nil
	}
	return out, err
}

func (s *Server) memoryLint(*door.Call, wire.None) (out wire.MemoryLintReply, err error) {
	found, err := s.cfg.Memory.Lint(time.Now())
	return wire.MemoryLintReply{Findings: wire.List(found, wireFinding)}, err
}

func wireFinding(f memory.Finding) wire.Finding { return wire.Finding(f) }

func (s *Server) memoryDay(_ *door.Call, in wire.MemoryDayRequest) (out wire.MemoryDayReply, err error) {
	date := cmp.Or(in.Date, time.Now().Format(time.DateOnly))
	if err := memory.CheckDate(date); err != nil {
		return out, door.BadRequest("%v", err)
	}
	day, err := s.cfg.Memory.Day(date)
	if err != nil {
		return out, fmt.Errorf("journal of %s: %w", date, err)
	}
	dates, err := s.cfg.Memory.Dates()
	dates = append([]string{}, dates[:min(mostDates, len(dates))]...)
	return wire.MemoryDayReply{MemoryDay: s.wireDay(day), Days: dates}, err
}

func (s *Server) wireDay(d memory.Day) wire.MemoryDay {
	notes := wire.List(d.Entries, func(e memory.Entry) wire.MemoryNote {
		return wire.MemoryNote{Heading: e.Heading, Text: e.Text, Source: e.Source}
	})
	return wire.MemoryDay{Date: d.Date, Path: s.cfg.Memory.DayPath(d.Date), Entries: notes}
}

func (s *Server) memoryDays(_ *door.Call, in wire.MemoryDaysRequest) (out wire.MemoryDaysReply, err error) {
	if in.Until != "" {
		if err := memory.CheckDate(in.Until); err != nil {
			return out, door.BadRequest("%v", err)
		}
	}
	most := min(cmp.Or(max(in.Most, 0), usualDays), mostDates)
	days, next, err := s.cfg.Memory.DaysUntil(in.Until, most)
	return wire.MemoryDaysReply{Days: wire.List(days, s.wireDay), Next: next}, err
}
