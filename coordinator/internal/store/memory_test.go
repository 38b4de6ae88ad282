package store

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newTestIndex(t *testing.T, path string) *Index {
	t.Helper()
	x, err := OpenIndex(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// first returns the key and the line of the best document for a question, "" for none.
func first(t *testing.T, x *Index, question string) string {
	t.Helper()
	docs, _, err := x.Search(question, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d", docs[0].Key, docs[0].Line)
}

func TestIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "search.db")
	x := newTestIndex(t, path)
	err := x.Change([]Indexed{
		{Key: "fact/printer", Stamp: "1", Title: "The printer", Also: "office",
			Text: "\nIt jams.\n\nAnn repaired it in May 2026."},
		{Key: "journal/2026-03-13", Stamp: "1", Title: "2026-03-13", Text: "We went to the lake.\n"},
		{Key: "empty", Stamp: "1"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"who repairs printers?":     "fact/printer:4",
		"office":                    "fact/printer:0",
		"when did we go?":           "journal/2026-03-13:1",
		"March 13, 2026":            "journal/2026-03-13:0",
		"What did Ann do in 2026/5": "fact/printer:4",
		"nothing at all":            "",
		"the of and":                "",
		`" OR * NEAR( title:`:       "",
		"":                          "",
	} {
		if have := first(t, x, question); have != want {
			t.Errorf("%q: have %q, want %q", question, have, want)
		}
	}
	if _, _, err := x.Search(strings.Repeat("word ", 10_000), 5); err != nil {
		t.Error(err)
	}

	// A document is replaced and dropped, also after its words were counted.
	err = x.Change([]Indexed{{Key: "fact/printer", Stamp: "2", Title: "The printer", Text: "It was sold."}},
		[]string{"empty", "none"})
	if err != nil {
		t.Fatal(err)
	}
	if have := first(t, x, "jams"); have != "" {
		t.Errorf("a former text is found: %s", have)
	}
	if have := first(t, x, "sold"); have != "fact/printer:1" {
		t.Errorf("have %s", have)
	}
	stamps, err := x.Stamps()
	if err != nil || len(stamps) != 2 || stamps["fact/printer"] != "2" {
		t.Errorf("%v %v", stamps, err)
	}
	x.Close()
	if have := first(t, newTestIndex(t, path), "sold"); have != "fact/printer:1" {
		t.Errorf("after opening it again: %s", have)
	}
}

// TestOpenIndexAnew: a damaged index and one of another version are begun again.
func TestOpenIndexAnew(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"garbage": func(path string) error { return os.WriteFile(path, []byte("garbage that is no database"), 0o600) },
		"version": func(path string) error {
			db, err := sql.Open("sqlite", path)
			if err != nil {
				return err
			}
			defer db.Close()
			_, err = db.Exec("PRAGMA user_version = 99")
			return err
		},
	} {
		path := filepath.Join(t.TempDir(), "search.db")
		x := newTestIndex(t, path)
		if err := x.Change([]Indexed{{Key: "a", Title: "word"}}, nil); err != nil {
			t.Fatal(err)
		}
		x.Close()
		if err := harm(path); err != nil {
			t.Fatal(err)
		}
		x = newTestIndex(t, path)
		if have := first(t, x, "word"); have != "" {
			t.Errorf("%s: have %s", name, have)
		}
		if err := x.Change([]Indexed{{Key: "b", Title: "word"}}, nil); err != nil || first(t, x, "word") != "b:0" {
			t.Errorf("%s: not usable: %v", name, err)
		}
	}
}
