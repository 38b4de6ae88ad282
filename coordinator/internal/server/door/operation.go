package door

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An Access says who may ask for an operation. Every caller is a process of the
// coordinator's own user: Door.caller has checked that.
type Access int

// It also says whose the things are that the operation changes. What is a session's is
// changed by that session and by the person, and by nobody else.
const (
	Reader   Access = iota // anyone: it changes nothing
	Self                   // anyone, in their own name: it changes what is the caller's, and decides nothing
	Owner                  // the session that the request names, and the person; see AllowOwner
	Hook                   // a hook binary of this installation, for the session of its client; see AllowFor
	Own                    // the afar program of this installation, for the consultation that it began
	Runner                 // the runner of this installation, for the turn that it drives; its fence says which
	Person                 // a decision: never from inside a session
	Change                 // as Person, and from the page and the phone only where answers count: it takes away
	Standing               // as Person, and only where answers count: it gives authority that stays, or starts work
	Asker                  // as Standing; a session may ask for it, and its person decides
	Writer                 // as Standing; a session may do it in its own name
)

// ofPrograms reports whether only a program of Afar asks for an operation.
func (a Access) ofPrograms() bool { return a == Hook || a == Own || a == Runner }

// A Manner says how an operation becomes one with the end of the update that asked for it on a channel, so
// that a coordinator which dies and handles the update again has one effect and gives one reply.
type Manner int

const (
	Reading Manner = iota // it changes nothing: what it replies is asked for when the channel tells it
	Step                  // one step of core: what it changes, the end of the update and the reply are one commit
	Keyed                 // it touches files, git or a process first, and comes to the same when it is done again
)

// An Operation is one row of the table: who may ask for it, and what it does.
type Operation struct {
	Access      Access
	Manner      Manner
	IsHere      bool   // no machine carries it out for another: it is about the machine itself
	Page, Phone string // how a person does the same there, "" where they cannot

	name string
	do   func(*Call) (any, error)           // decodes the body of the call
	take func(c *Call, in any) (any, error) // takes the request itself, of the type that the Op names
	// reply decodes what another machine replies, "" for nothing yet.
	reply      func(raw json.RawMessage, on wire.Origin) (any, error)
	isAnywhere bool   // it is carried out on the machine of the thing that the id of its request names
	mirrored   string // how the hub mirrors such things, "" for not at all
	// propose asks the person about the call of a session for another machine, nil if sessions make none.
	propose func(c *Call, on fleet.Machine, in []byte) (wire.Raw, error)
}

// Row returns the row of an operation whose handler takes a decoded request. For a call
// without a body the handler gets the zero request.
func Row[Request, Reply any](
	op wire.Op[Request, Reply], who Access, do func(*Call, Request) (Reply, error),
) Operation {
	decoder := sync.OnceValue(hostjson.NewDecoder[Request]) // most tables are made for one operation of one act
	return Operation{
		name:   string(op),
		Access: who,
		do: func(c *Call) (any, error) {
			if len(c.body) == 0 || string(c.body) == "null" {
				return do(c, *new(Request))
			}
			in, err := decode(c, decoder())
			if err != nil {
				return nil, BadRequest("%s: %v", c.op, err)
			}
			return do(c, in)
		},
		take:  func(c *Call, in any) (any, error) { return do(c, in.(Request)) },
		reply: func(raw json.RawMessage, on wire.Origin) (any, error) { return decodeReply(op, raw, on) },
	}
}

// By returns a row whose operation changes something, in this manner.
func (o Operation) By(m Manner) Operation {
	o.Manner = m
	return o
}

// Anywhere returns a row whose operation is carried out on the machine of the thing that its request names. mirrored
// is how the hub mirrors such things, "" for not at all.
func (o Operation) Anywhere(mirrored string) Operation {
	o.isAnywhere, o.mirrored = true, mirrored
	return o
}

// Here returns a row whose operation no machine carries out for another.
func (o Operation) Here() Operation {
	o.IsHere = true
	return o
}

// Ways returns a row that says how a person does the same on the page and on the phone, "" where they cannot.
func (o Operation) Ways(page, phone string) Operation {
	o.Page, o.Phone = page, phone
	return o
}

// Proposes returns a row with access Asker whose operation a session may ask for on another machine too.
func (o Operation) Proposes(propose func(c *Call, on fleet.Machine, in []byte) (wire.Raw, error)) Operation {
	o.propose = propose
	return o
}

// A Table has operations by their names.
type Table map[string]Operation

// TableOf returns the table of rows, which come from one package each.
func TableOf(rows ...[]Operation) Table {
	all := Table{}
	for _, row := range slices.Concat(rows...) {
		all[row.name] = row
	}
	return all
}

// Rows returns the operations that are about calls themselves.
func Rows() []Operation {
	return []Operation{
		Row(wire.OpPerson, Self, person).By(Step).Here(),
		Row(wire.OpMachineCall, Self, machineCall).By(Keyed).Here(),
	}
}
