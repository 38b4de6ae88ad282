// Package fleetserver is what the coordinator and its server of the fleet say to each other: JSON
// values, one a line, on the standard input and output of cmd/fleet-server.
package fleetserver

// A State is all that the server is told. The first one starts it, each further one takes the place
// of the one before.
type State struct {
	Listen string `json:"listen"` // host and port
	Cert   string `json:"cert"`   // a PEM file
	Key    string `json:"key"`    // a PEM file
	Users  []User `json:"users"`  // who may connect; nobody else does
}

// A User is a key that may connect, and the subjects that it may use.
type User struct {
	Nkey      string   `json:"nkey"`
	Publish   []string `json:"publish"`
	Subscribe []string `json:"subscribe"`
}

// A Reply is what the server says to a State: where it listens, or why it does not.
type Reply struct {
	Ready string `json:"ready,omitempty"`
	Error string `json:"error,omitempty"`
}
