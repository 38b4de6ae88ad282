package link

import (
	"encoding/hex"
	"errors"

	"github.com/nats-io/nats.go"
)

// In a cluster a copy of a hub hears and says what the hub does, and each ends the sessions of the other. So a hub
// announces itself under a random name, to whoever has its key. Who hears another name than its own answers for that
// name, which proves that it has the key now: an announcement that is said again proves nothing.

const kindHub = ".hub"

// ErrTwoHubs says that another hub speaks with this hub's key.
var ErrTwoHubs = errors.New("another hub speaks with the key of this one")

// announce says that this hub is there. answers is the name of another one, "" for none.
func (h *Hub) announce(conn *nats.Conn, answers string) {
	e := envelope{kind: kindHub, session: h.run}
	// a copy that does not hear it announces itself when it connects
	_ = h.config.sendOutside(conn, up(h.config.Fleet, h.id), h.config.Keys.Public, e, hello{For: answers})
}

// hearHub takes what a hub with this key says.
func (h *Hub) hearHub(conn *nats.Conn, e *envelope) {
	var said hello
	isOurs := e.kind == kindHub && e.to == h.id && e.isFrom(h.config.Keys.Public, h.config.Fleet)
	if !isOurs || h.config.readOutside(e, h.config.Keys.Public, &said) != nil {
		h.config.Refused(e.from, "a message is forged")
		return
	}
	if e.session == h.run {
		return
	}
	h.announce(conn, hex.EncodeToString(e.session[:]))
	if said.For != hex.EncodeToString(h.run[:]) {
		return
	}
	h.mu.Lock()
	was := h.twoHubs
	h.twoHubs = true
	h.mu.Unlock()
	if !was {
		h.tell(func() { h.config.Doubled(h.id) })
		_ = conn.FlushTimeout(dialWithin) // the copy hears of us
		conn.Close()
	}
}

func (h *Hub) isTwo() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.twoHubs
}
