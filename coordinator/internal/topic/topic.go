// Package topic holds the posts that sessions and their person write for each other. The
// posts of a topic are kept in order of arrival, and everyone can read them.
package topic

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The topics that only Afar writes.
const (
	Current = "loop:current" // the current state of the loop, as JSON
	Anchor  = "loop:anchor"  // the facts that a session needs again after a compaction
	Trace   = "loop:trace"   // each step of each loop, if the person wants it
)

// Limits of a post.
const (
	maxName = 120       // characters
	maxText = 64 * 1024 // bytes
)

// The reasons to refuse a post.
var (
	ErrName = errors.New("a topic is named like project:api or issue:42: " +
		"letters, digits and : . _ / - in at most 120 characters")
	ErrText = fmt.Errorf("a post needs some text, at most %d bytes of UTF-8", maxText)
	ErrOurs = errors.New("this topic is written by Afar alone")
)

// A Post is one text in a topic. Seq orders all posts of all topics.
type Post struct {
	Seq   int64
	Topic string
	At    time.Time
	By    string // the token of a session, "person" or "afar"
	Text  string // without secrets
}

// New returns a post with this author. The text is kept unchanged, without the white space
// around it.
func New(name, by, text string, now time.Time) (Post, error) {
	if err := Check(name); err != nil {
		return Post{}, err
	}
	if strings.HasPrefix(name, "loop:") {
		return Post{}, fmt.Errorf("%s: %w", name, ErrOurs)
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxText || !utf8.ValidString(text) {
		return Post{}, ErrText
	}
	return Post{Topic: name, At: now, By: by, Text: text}, nil
}

// Check returns ErrName if a topic may not have this name.
func Check(name string) error {
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, forbidden) {
		return ErrName
	}
	return nil
}

func forbidden(r rune) bool {
	return !unicode.In(r, unicode.Letter, unicode.Digit) && !strings.ContainsRune(":._/-", r)
}

// OfProject returns the topic of a project, named after its directory.
func OfProject(dir string) string { return "project:" + part(dir[strings.LastIndexByte(dir, '/')+1:]) }

// OfIssue returns the topic of an issue, named after its id.
func OfIssue(id string) string { return "issue:" + part(id) }

// part turns a text into a valid part of a topic's name.
func part(text string) string {
	name := strings.Map(func(r rune) rune {
		if forbidden(r) {
			return '-'
		}
		return r
	}, text)
	if name == "" {
		name = "-"
	}
	return string([]rune(name)[:min(100, utf8.RuneCountInString(name))])
}
