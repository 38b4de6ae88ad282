package message

import (
	"errors"
	"fmt"
	"strings"
)

// A Kind says what an address names.
type Kind string

// The kinds of addresses.
const (
	ToSession Kind = "session" // its token follows
	ToRun     Kind = "run"     // its name follows
	ToPerson  Kind = "person"
)

// later says of an address that Afar does not have yet what it is, "" for any other.
func later(kind string, named bool) string {
	switch {
	case kind == "task" && named:
		return "tasks are"
	case kind == "triage":
		return "triage is"
	}
	return ""
}

// An Address says where a text goes.
type Address struct {
	Kind Kind
	Name string // "" for the person
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

// ParseAddress reads an address: session:TOKEN or a bare TOKEN, run:NAME, or person.
func ParseAddress(s string) (a Address, err error) {
	kind, name, named := strings.Cut(s, ":")
	switch {
	case s == string(ToPerson):
		return Address{Kind: ToPerson}, nil
	case later(kind, named) != "":
		return a, fmt.Errorf("%w %.60q: %s not supported yet", ErrAddress, s, later(kind, named))
	case !named && s != "":
		return Address{Kind: ToSession, Name: s}, nil
	case name != "" && (kind == string(ToSession) || kind == string(ToRun)):
		return Address{Kind: Kind(kind), Name: name}, nil
	}
	return a, fmt.Errorf("%w %.60q; want a session's token, session:TOKEN, run:NAME or person", ErrAddress, s)
}
