package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Kind says what an address names.
type Kind string

// The kinds of addresses.
const (
	ToSession Kind = "session" // its token follows
	ToRun     Kind = "run"     // its name follows
	ToTask    Kind = "task"    // its name follows
	ToPerson  Kind = "person"
	ToTriage  Kind = "triage" // events, which a model sorts
)

// withName are the kinds of addresses after which a name follows.
var withName = []Kind{ToSession, ToRun, ToTask}

// An Address says where a text goes.
type Address struct {
	Kind Kind
	Name string // "" for the person and triage
}

// String returns the address as people write it.
func (a Address) String() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + ":" + a.Name
}

// ErrAddress says that a text is no address.
var ErrAddress = errors.New("unknown address")

// ParseAddress reads an address: session:TOKEN or a bare TOKEN, run:NAME, task:SLUG, triage or person.
func ParseAddress(s string) (a Address, err error) {
	kind, name, named := strings.Cut(s, ":")
	switch {
	case s == string(ToPerson):
		return Address{Kind: ToPerson}, nil
	case s == string(ToTriage):
		return Address{Kind: ToTriage}, nil
	case !named && s != "":
		return Address{Kind: ToSession, Name: s}, nil
	case name != "" && slices.Contains(withName, Kind(kind)):
		return Address{Kind: Kind(kind), Name: name}, nil
	}
	return a, fmt.Errorf("%w %.60q; want a session's token, session:TOKEN, run:NAME, task:SLUG, triage or person",
		ErrAddress, s)
}
