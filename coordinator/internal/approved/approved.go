// Package approved holds the one rule for what a person or an agent writes and a person approves: a
// trigger's file, a module's folder. What runs is the content that the person approved. Another
// content holds it, and is shown; when the approved content is back, it counts again.
package approved

import "time"

// A File is what Afar keeps of such a file or folder beside its content.
type File struct {
	Hash string    `json:"hash"` // digest of the content that a person approved, "" before that
	By   string    `json:"by"`   // who approved it
	On   bool      `json:"on"`
	At   time.Time `json:"at,omitzero"` // when it was approved, held, or let go again
	// Held says why it does not count although it is on: its content is not the approved one. "" if it counts.
	Held string `json:"held,omitempty"`
}

// Live reports whether f counts.
func (f File) Live() bool { return f.On && f.Held == "" }

// Approve returns f switched on by a person, with the digest of what they approve.
func (f File) Approve(hash, by string, now time.Time) File {
	return File{Hash: hash, By: by, On: true, At: now}
}

// Off returns f switched off.
func (f File) Off() File {
	f.On, f.Held = false, ""
	return f
}

// Hold returns f after a look at its content: why says how that differs from the approved one, "" if
// it does not. What is off stays as it is.
func (f File) Hold(why string, now time.Time) File {
	if f.On && f.Held != why {
		f.Held, f.At = why, now
	}
	return f
}

// A State is how a person sees a file.
type State int

// A file is Proposed while nobody has approved its content, and Broken if it cannot be read.
const (
	Proposed State = iota
	On
	Off
	Broken
)

// State returns the state of f while its content has a digest, or cannot be read because of err.
func (f File) State(digest string, err error) State {
	switch {
	case err != nil:
		return Broken
	case f.Hash == "", f.Hash != digest:
		return Proposed
	case f.Live():
		return On
	}
	return Off
}
