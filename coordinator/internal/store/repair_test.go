package store_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// The size of a database in these tests.
const (
	manyAsks    = 300
	manyEntries = 1500
	copiedAsks  = 200 // when the good copy was made
)

// lived makes a database that was used for a while, and closes it, so that it is one file.
func lived(t *testing.T) string {
	t.Helper()
	path := newPath(t)
	s := open(t, path)
	var b store.Batch
	store.Accounts.Put(&b, channel.Account{
		Channel: "phone", Speaker: "afar_bot", Person: &channel.Person{ID: "7", Address: "8", Name: "Ana", At: t0},
	})
	store.Grants.Put(&b, grant.Grant{ID: "grant_1", At: t0})
	store.Loops.Put(&b, loop.Stack{Session: "s-1", UpdatedAt: t0})
	commit(t, s, b)
	for i := range manyAsks {
		if i == copiedAsks {
			if err := s.Copy(t0); err != nil {
				t.Fatal(err)
			}
		}
		a := ask.Ask{
			ID:       ask.ID(fmt.Sprintf("ask_%04d", i)),
			State:    ask.Open,
			OpenedAt: t0,
			Text:     strings.Repeat("x", 200),
		}
		b := with(store.Batch{}, a)
		for j := range manyEntries / manyAsks {
			b.Events = append(b.Events, note(fmt.Sprintf("entry %d of %d", j, i)))
		}
		commit(t, s, b)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// spoiled applies f to the bytes of a file.
func spoiled(t *testing.T, path string, f func([]byte) []byte) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, f(raw), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func zero(from, to int) func([]byte) []byte {
	return func(raw []byte) []byte { clear(raw[from:to]); return raw }
}

func garbage(from, to int) func([]byte) []byte {
	return func(raw []byte) []byte {
		for i := from; i < to; i++ {
			raw[i] = byte(i*7 + 3)
		}
		return raw
	}
}

func middle(f func(from, to int) func([]byte) []byte) func([]byte) []byte {
	return func(raw []byte) []byte {
		page := len(raw) / 4096 / 2
		return f(page*4096, (page+1)*4096)(raw)
	}
}

// unraced skips a test in runs with -short, which are those with the race detector: it has one goroutine.
func unraced(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine: nothing for the race detector")
	}
}

// TestRepair damages a database in several ways. The repaired database can be opened, its chain holds, and all
// rows are there that plain SQL reads or that the good copy has. What the copy shows as not done is doubted.
func TestRepair(t *testing.T) {
	unraced(t)
	sound := lived(t)
	there := counted(t, sound)
	for name, c := range map[string]struct {
		spoil         func([]byte) []byte
		asks, entries int // at least so many are there without a copy
		paired        bool
	}{
		"no header":       {zero(0, 100), 0, 0, false},
		"garbage header":  {garbage(0, 100), 0, 0, false},
		"no first page":   {zero(0, 4096), 0, 0, false},
		"middle page":     {middle(zero), manyAsks / 2, 1, true},
		"middle garbage":  {middle(garbage), manyAsks / 2, 1, true},
		"last page":       {func(raw []byte) []byte { clear(raw[len(raw)-4096:]); return raw }, manyAsks / 2, 1, true},
		"half of it":      {func(raw []byte) []byte { return raw[:len(raw)/2] }, 1, 1, true},
		"most of it":      {cut(80), 1, 1, true},
		"torn in a page":  {func(raw []byte) []byte { return raw[:len(raw)-5000] }, manyAsks / 2, 1, true},
		"one page":        {func(raw []byte) []byte { return raw[:4096] }, 0, 0, false},
		"nothing to read": {func([]byte) []byte { return []byte(strings.Repeat("no database ", 2000)) }, 0, 0, false},
	} {
		for _, hasCopy := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, copy %t", name, hasCopy), func(t *testing.T) {
				path := copyOf(t, sound, hasCopy)
				spoiled(t, path, c.spoil)
				before, _ := os.ReadFile(path)
				if err := store.Check(path); !errors.Is(err, store.ErrCorrupt) {
					t.Fatalf("it is not damaged: %v", err)
				}
				got, err := store.Repair(path, t0, doubtAsks, noMend)
				if err != nil {
					t.Fatal(err)
				}
				if kept, err := os.ReadFile(got.Kept); err != nil || !bytes.Equal(kept, before) {
					t.Errorf("the damaged file was not kept: %v", err)
				}
				if hasCopy {
					c.asks, c.entries, c.paired = max(c.asks, copiedAsks), copiedAsks*manyEntries/manyAsks, true
				}
				checkRepaired(t, path, got, c.asks, c.entries, c.paired)
				checkHonest(t, maps.Clone(there), got)
				checkDoubts(t, path, got)
			})
		}
	}
}

// copyOf copies a database to a new place, with its good copies or without.
func copyOf(t *testing.T, sound string, hasCopy bool) string {
	t.Helper()
	path := newPath(t)
	raw, err := os.ReadFile(sound)
	if err == nil {
		err = os.WriteFile(path, raw, 0o600)
	}
	if err == nil && hasCopy {
		err = os.CopyFS(filepath.Join(filepath.Dir(path), "copies"), os.DirFS(filepath.Join(filepath.Dir(sound), "copies")))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// doubtAsks withdraws the open asks.
func doubtAsks(s *store.Store, now time.Time) (doubts []store.Doubt, err error) {
	asks, _, err := store.Asks.Load(s, now)
	var b store.Batch
	for _, a := range asks {
		if a.State == ask.Open {
			a.State, a.Note = ask.Withdrawn, "doubted"
			store.Asks.Put(&b, a)
			doubts = append(doubts, store.Doubt{Table: "asks", ID: string(a.ID), Text: "doubted"})
		}
	}
	return doubts, errors.Join(err, s.Commit(&b))
}

func noMend(*store.Store, *store.Salvage, time.Time) error { return nil }

// checkDoubts checks that the asks that come from the copy, and they alone, are doubted.
func checkDoubts(t *testing.T, path string, got store.Salvage) {
	t.Helper()
	s := open(t, path)
	defer s.Close()
	asks, _, err := store.Asks.Load(s, time.Time{})
	doubted := 0
	for _, a := range asks {
		if a.State != ask.Open {
			doubted++
		}
	}
	copied := -1
	for _, table := range got.Tables {
		if table.Table == "asks" {
			copied = table.Copied
		}
	}
	if err != nil || doubted != copied || len(got.Doubts) != copied {
		t.Errorf("%d of %d asks are doubted, %d come from the copy, and %d are told of: %v",
			doubted, len(asks), copied, len(got.Doubts), err)
	}
}

// TestRepairSeeds damages a database at random: it is cut, pages are zeroed, or bits are flipped. Whatever is
// hit, the repaired database opens, its chain holds, and nothing of the copy is missing.
func TestRepairSeeds(t *testing.T) {
	unraced(t)
	sound := lived(t)
	raw, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	seeds := 25
	if long.Runs() {
		seeds = 2000
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		spoilt := bytes.Clone(raw)
		switch seed % 3 {
		case 0:
			spoilt = spoilt[:random.IntN(len(raw))]
		case 1:
			for range 1 + random.IntN(8) {
				page := random.IntN(len(raw)/4096) * 4096
				clear(spoilt[page : page+4096])
			}
		case 2:
			for range 1 + random.IntN(200) {
				spoilt[random.IntN(len(raw))] ^= 1 << random.IntN(8)
			}
		}
		path := copyOf(t, sound, true)
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := store.Repair(path, t0, doubtAsks, noMend)
		if errors.Is(err, store.ErrSound) || errors.Is(err, store.ErrEmpty) || errors.Is(err, store.ErrNewer) ||
			errors.Is(err, store.ErrOlder) {
			continue // SQLite sees nothing wrong in the values that were hit
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s := open(t, path)
		asks, bad, err := store.Asks.Load(s, time.Time{})
		n, broken, _, failed := s.Verify()
		if err != nil || failed != nil || broken != 0 || int(n) != int(got.Journal)+1+len(got.Doubts) ||
			len(asks)+len(bad) < copiedAsks || int(n) <= copiedAsks*manyEntries/manyAsks {
			t.Errorf("seed %d: %d asks, %d bad, %d entries, broken at %d, %v, %v: %+v",
				seed, len(asks), len(bad), n, broken, err, failed, got.Tables)
		}
		s.Close()
	}
}

// TestRepairYoung damages a small database, in which much of the schema lies at the end of the file:
// whatever is read of it, no table that lost rows says that it lost nothing.
func TestRepairYoung(t *testing.T) {
	young := newPath(t)
	s := open(t, young)
	commit(t, s, store.Batch{Events: []event.Event{note("first")}})
	var b store.Batch
	store.Accounts.Put(&b, channel.Account{
		Channel: "phone", Speaker: "afar_bot", Person: &channel.Person{ID: "7", Address: "8", Name: "Ana", At: t0},
	})
	store.Grants.Put(&b, grant.Grant{ID: "grant_1", At: t0})
	commit(t, s, with(b, ask.Ask{ID: "ask_1", State: ask.Open, OpenedAt: t0}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(young)
	if err != nil {
		t.Fatal(err)
	}
	there := counted(t, young)
	for name, c := range map[string]struct {
		spoil func([]byte) []byte
		some  bool // of the rows can be read
	}{
		"10 %":          {cut(10), false},
		"50 %":          {cut(50), false},
		"80 %":          {cut(80), true},
		"95 %":          {cut(95), true},
		"cut in a page": {func(raw []byte) []byte { return raw[:len(raw)-5000] }, true},
		"pages swapped": {swap(3, 7), true},
		"bytes turned":  {turn, false},
		"half a header": {zero(16, 60), false},
		"a short file":  {func(raw []byte) []byte { return raw[:50] }, false},
		"garbage":       {func(raw []byte) []byte { return garbage(0, len(raw))(raw) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			if err := os.WriteFile(path, c.spoil(bytes.Clone(sound)), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := store.Repair(path, t0, doubtAsks, noMend)
			if err != nil {
				t.Fatal(err)
			}
			checkRepaired(t, path, got, 0, 0, false)
			checkHonest(t, maps.Clone(there), got)
			if rows := saved(got); rows == 0 && c.some {
				t.Errorf("nothing was saved: %+v", got)
			}
		})
	}
}

func saved(s store.Salvage) (rows int) {
	for _, table := range s.Tables {
		rows += table.Rows
	}
	return rows
}

// counted returns how many rows the tables of a sound database have.
func counted(t *testing.T, path string) map[string]int {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	there := map[string]int{}
	names, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'head'
		AND name NOT LIKE 'sqlite%'`)
	for err == nil && names.Next() {
		var name string
		err = names.Scan(&name)
		there[name] = -1
	}
	for name := range there {
		var n int
		err = errors.Join(err, db.QueryRow("SELECT count(*) FROM "+name).Scan(&n))
		there[name] = n
	}
	if err != nil || len(there) < 10 {
		t.Fatalf("count %d tables: %v", len(there), err)
	}
	return there
}

// checkHonest checks that each table is named, and that one with fewer rows than before says so.
func checkHonest(t *testing.T, there map[string]int, got store.Salvage) {
	t.Helper()
	for _, table := range got.Tables {
		had, known := there[table.Table]
		has := table.Rows + table.Copied
		if !known || has > had || has < had && table.Lost == 0 && !table.Torn {
			t.Errorf("table %s had %d rows: %+v", table.Table, had, table)
		}
		delete(there, table.Table)
	}
	if len(there) > 0 {
		t.Errorf("nothing is said of %v", there)
	}
}

func cut(percent int) func([]byte) []byte {
	return func(raw []byte) []byte { return raw[:len(raw)*percent/100] }
}

// swap exchanges two pages.
func swap(one, other int) func([]byte) []byte {
	return func(raw []byte) []byte {
		a, b := raw[one*4096:(one+1)*4096], raw[other*4096:(other+1)*4096]
		kept := bytes.Clone(a)
		copy(a, b)
		copy(b, kept)
		return raw
	}
}

// turn turns the bits of every thousandth byte.
func turn(raw []byte) []byte {
	for i := 500; i < len(raw); i += 1000 {
		raw[i] = ^raw[i]
	}
	return raw
}

func checkRepaired(t *testing.T, path string, got store.Salvage, asks, entries int, paired bool) {
	t.Helper()
	if err := store.Check(path); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	st, err := load(s, t0.Add(-1))
	if err != nil || len(st.Bad) > 0 {
		t.Fatalf("load: %v, bad rows %v", err, st.Bad)
	}
	if len(st.Asks) < asks || paired && (!hasPerson(st) || len(st.Grants) != 1 || len(st.Loops) != 1) {
		t.Errorf(
			"%d asks, person %v, %d grants, %d loops: %+v",
			len(st.Asks),
			hasPerson(st),
			len(st.Grants),
			len(st.Loops),
			got,
		)
	}
	if got.Paired != hasPerson(st) {
		t.Errorf("it says paired %t", got.Paired)
	}
	n, broken, _, err := s.Verify()
	if broken != 0 || err != nil || int(n) != int(got.Journal)+1+len(got.Doubts) || int(got.Journal) < entries {
		t.Errorf("%d entries, broken %d, %v: %+v", n, broken, err, got)
	}
	last, err := s.Journal(0, 1, "", true)
	if err != nil || len(last) != 1 || last[0].Kind != event.Repaired {
		t.Errorf("the journal ends with %v, %v", last, err)
	}
	commit(t, s, store.Batch{Events: []event.Event{note("and on")}})
}

// TestRepairLog checks that an invalid log, and a log next to an empty database, count as
// damage.
func TestRepairLog(t *testing.T) {
	t.Run("garbage", func(t *testing.T) {
		path := lived(t)
		if err := os.WriteFile(path+"-wal", bytes.Repeat([]byte("garbage!"), 1000), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := store.Repair(path, t0, doubtAsks, noMend)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(got.Kept + "-wal"); err != nil {
			t.Errorf("the log was not kept: %v", err)
		}
		checkRepaired(t, path, got, manyAsks, manyEntries, true)
		if len(got.Doubts) != manyAsks {
			t.Errorf("without its log the database is as old as a copy, but %d asks are doubted", len(got.Doubts))
		}
	})
	t.Run("commits without a database", func(t *testing.T) {
		path := newPath(t)
		s := open(t, path)
		commit(t, s, store.Batch{Events: []event.Event{note("one"), note("two")}})
		for _, end := range []string{"", "-wal"} { // as after kill -9
			if raw, err := os.ReadFile(path + end); err != nil || os.WriteFile(path+".copy"+end, raw, 0o600) != nil {
				t.Fatal(err)
			}
		}
		path += ".copy"
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Open(path); !errors.Is(err, store.ErrCorrupt) {
			t.Fatalf("it was opened: %v", err)
		}
		got, err := store.Repair(path, t0, doubtAsks, noMend)
		if err != nil {
			t.Fatal(err)
		}
		checkRepaired(t, path, got, 0, 0, false)
	})
}

// TestRepairSound checks that an undamaged database is not changed.
func TestRepairSound(t *testing.T) {
	path := lived(t)
	before, _ := os.ReadFile(path)
	if _, err := store.Repair(path, t0, doubtAsks, noMend); !errors.Is(err, store.ErrSound) {
		t.Errorf("have %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("it was changed")
	}
	empty := newPath(t)
	if _, err := store.Repair(empty, t0, doubtAsks, noMend); !errors.Is(err, store.ErrEmpty) {
		t.Errorf("none: %v", err)
	}
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Repair(empty, t0, doubtAsks, noMend); !errors.Is(err, store.ErrEmpty) {
		t.Errorf("an empty one: %v", err)
	}
	spoiled(t, path, func(raw []byte) []byte { copy(raw[60:], []byte{0, 0, 0x7f, 0}); return raw })
	if _, err := store.Repair(path, t0, doubtAsks, noMend); !errors.Is(err, store.ErrNewer) {
		t.Errorf("a newer one: %v", err)
	}
}

func hasPerson(st state) bool {
	return slices.ContainsFunc(st.Accounts, func(a channel.Account) bool { return a.Person != nil })
}
