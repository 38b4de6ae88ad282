package server

import (
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// caller is the process that makes a call; none where the system does not tell.
func caller(c *call) session.Process {
	if len(c.line) == 0 {
		return session.Process{}
	}
	return session.Process{PID: c.line[0].PID, Born: c.line[0].Born}
}

// born says when a client began; it is mostly in the line of the hook that it runs.
func born(line []peer.Process, client int) string {
	for _, p := range line {
		if p.PID == client {
			return p.Born
		}
	}
	if client <= 1 {
		return ""
	}
	return peer.Birth(client)
}
