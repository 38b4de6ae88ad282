package taskwork

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A Keeper asks the person about each suggestion, and carries out the actions of feature.LaneTasks.
type Keeper struct {
	core        *feature.Core
	suggestions *Suggestions
	inbox, gaps *Notebook
	decide      func(context.Context, feature.Decided) error
	log         *slog.Logger
}

// NewKeeper returns a keeper. decide carries out what the person decided about a suggestion.
func NewKeeper(
	c *feature.Core, suggestions *Suggestions, inbox, gaps *Notebook, decide func(context.Context, feature.Decided) error,
	log *slog.Logger,
) *Keeper {
	return &Keeper{core: c, suggestions: suggestions, inbox: inbox, gaps: gaps, decide: decide, log: log}
}

// Run works until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() { k.core.Work(ctx, feature.LaneTasks, k.act) })
	changed := make(chan struct{}, 1)
	watch := func(watch disk.WatchFunc, dir string) {
		err := disk.Settled(ctx, watch, dir, settleFor, func() {
			select {
			case changed <- struct{}{}:
			default: // it will look anyway
			}
		})
		if err != nil {
			k.log.Error("watch suggestions and gaps", "dir", dir, "err", err)
		}
	}
	workers.Go(func() { watch(disk.Watch, k.suggestions.dir) }) // it may be a link
	workers.Go(func() { watch(disk.WatchTree, filepath.Dir(k.gaps.path)) })
	for last := ""; ; {
		if now := k.signature(); now != last {
			if err := k.look(); err != nil {
				k.log.Error("look at the suggestions", "err", err)
			}
			k.core.TouchTasks() // pages that show the files
			last = now
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// signature returns a text that changes with the suggestions and with gaps.md.
func (k *Keeper) signature() string {
	var b strings.Builder
	note := func(info fs.FileInfo, err error) {
		if err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", info.Name(), info.Size(), info.ModTime().UnixNano())
		}
	}
	entries, _ := os.ReadDir(k.suggestions.dir)
	for _, e := range entries {
		note(e.Info())
	}
	note(os.Lstat(k.gaps.path))
	return b.String()
}

// look asks the person about each open suggestion, and ends the questions about the others.
func (k *Keeper) look() error {
	all, err := k.suggestions.All()
	if err != nil {
		return err
	}
	open := map[ask.ID]bool{}
	for name, one := range all {
		if one.Status != task.Open {
			continue
		}
		question := one.Ask(name)
		open[question.ID] = true
		if err := k.core.Suggest(question); err != nil {
			return err
		}
	}
	return k.core.SuggestionsOver(open)
}

func (k *Keeper) act(ctx context.Context, a store.Action) error {
	switch a.Kind {
	case feature.ActDecide:
		var d feature.Decided
		if err := json.Unmarshal([]byte(a.Data), &d); err != nil {
			return core.GiveUp(err)
		}
		return k.decide(ctx, d)
	case feature.ActFile:
		var v task.Verdict
		if err := json.Unmarshal([]byte(a.Data), &v); err != nil {
			return core.GiveUp(err)
		}
		return k.file(v)
	}
	return core.GiveUp(fmt.Errorf("unknown action %q", a.Kind))
}

// file writes what came of an event: a suggestion, and the whole text into inbox.md unless the
// suggestion holds it. Doing it twice comes to the same.
func (k *Keeper) file(v task.Verdict) error {
	suggestion, why := v.New, "It was suggested: "+v.New.Title
	if v.Unsorted != "" {
		suggestion, why = v.Event.UnsortedSuggestion(v.Unsorted), "It could not be sorted: "+v.Unsorted
	}
	place, name, err := k.suggestions.Add(suggestion)
	if err != nil {
		return err
	}
	whole := utf8.RuneCountInString(v.Event.Text) <= task.MaxContext && v.Unsorted == ""
	if whole && (place == task.Added || place == task.Folded && k.holds(name, suggestion)) {
		return nil
	}
	entry, mark := v.Event.InboxEntry(why)
	return k.inbox.Edit(func(file string) string {
		switch {
		case strings.Contains(file, mark):
			return file
		case file == "":
			file = "# Inbox\n"
		}
		return strings.TrimRight(file, "\n") + "\n\n" + entry
	})
}

// holds reports whether the suggestion with a name was made of the same event: this one was carried
// out before.
func (k *Keeper) holds(name task.Slug, in task.Suggestion) bool {
	old, err := k.suggestions.Get(name)
	same := task.ParseSuggestion(in.File())
	return err == nil && old.Context == same.Context && old.Source == same.Source
}
