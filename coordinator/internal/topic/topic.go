// Package topic holds what sessions and their person write for each other: posts
// under a name, in the order in which they came, for anyone to read.
package topic

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The topics that Afar writes itself; nobody else posts there.
const (
	Current = "loop:current" // the loop as it stands, JSON
	Anchor  = "loop:anchor"  // what a session must find again after a compaction
	Trace   = "loop:trace"   // each step of each loop, where the person wants it
)

// Limits of a post.
const (
	MaxName = 120       // characters
	MaxText = 64 * 1024 // bytes
)

// What a post may be refused for.
var (
	ErrName = errors.New("a topic is named like project:api or issue:42: letters, digits and : . _ / - in at most 120 characters")
	ErrText = fmt.Errorf("a post needs some text, at most %d bytes of UTF-8", MaxText)
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

// New makes a post of somebody's. The text is taken as it stands but for blank
// lines around it.
func New(name, by, text string, now time.Time) (Post, error) {
	if err := Check(name); err != nil {
		return Post{}, err
	}
	if strings.HasPrefix(name, "loop:") {
		return Post{}, fmt.Errorf("%s: %w", name, ErrOurs)
	}
	text = strings.TrimSpace(text)
	if text == "" || len(text) > MaxText || !utf8.ValidString(text) {
		return Post{}, ErrText
	}
	return Post{Topic: name, At: now, By: by, Text: text}, nil
}

// Check says whether a topic may have this name.
func Check(name string) error {
	if name == "" || utf8.RuneCountInString(name) > MaxName || strings.ContainsFunc(name, forbidden) {
		return ErrName
	}
	return nil
}

func forbidden(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(":._/-", r)
}

// OfProject is the topic of a project, named by its directory.
func OfProject(dir string) string { return "project:" + part(dir[strings.LastIndexByte(dir, '/')+1:]) }

// OfIssue is the topic of an issue, named by its id.
func OfIssue(id string) string { return "issue:" + part(id) }

// part makes a text into a part of a topic's name.
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
