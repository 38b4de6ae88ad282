package link

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

const (
	maxMessage = 512 << 10 // bytes of the body of one message
	maxKind    = 32
	// sealing is how much longer a body is when it is sealed.
	sealing     = 64
	format      = 1
	signatureOf = 64
	headLength  = 2 + 2*idLength + 32 + 8 + 8 // without the kind
)

// An envelope is one message on its way.
type envelope struct {
	kind     string
	from, to string
	session  [32]byte
	n        uint64 // rises with each message of a session in one direction; 0 outside of a session
	re       uint64 // the n of the request that this answers, else 0
	signed   [signatureOf]byte
	sealed   []byte // the body
}

// head returns all but signature and body.
func (e *envelope) head() []byte {
	b := make([]byte, 0, headLength+len(e.kind)+signatureOf+len(e.sealed))
	b = append(b, format, byte(len(e.kind)))
	b = append(b, e.kind...)
	b = append(b, e.from...)
	b = append(b, e.to...)
	b = append(b, e.session[:]...)
	b = binary.BigEndian.AppendUint64(b, e.n)
	return binary.BigEndian.AppendUint64(b, e.re)
}

// bytes returns the envelope as it travels.
func (e *envelope) bytes() []byte {
	return append(append(e.head(), e.signed[:]...), e.sealed...)
}

// text returns what the sender signs.
func (e *envelope) text(fleet string) []byte {
	digest := sha256.Sum256(e.sealed)
	b := append([]byte("afar link\x00"), fleet...)
	b = append(append(b, 0), e.head()...)
	return append(b, digest[:]...)
}

var errEnvelope = errors.New("this is no message of a fleet")

// parse reads an envelope. It checks the form alone; who sent it is not known before verify.
func parse(b []byte) (*envelope, error) {
	if len(b) < 2 || b[0] != format || len(b) > headLength+maxKind+signatureOf+maxMessage+sealing {
		return nil, errEnvelope
	}
	kindLength := int(b[1])
	if kindLength == 0 || kindLength > maxKind || len(b) < headLength+kindLength+signatureOf {
		return nil, errEnvelope
	}
	rest := b[2:]
	cut := func(n int) []byte {
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	e := &envelope{kind: string(cut(kindLength)), from: string(cut(idLength)), to: string(cut(idLength))}
	copy(e.session[:], cut(len(e.session)))
	e.n = binary.BigEndian.Uint64(cut(8))
	e.re = binary.BigEndian.Uint64(cut(8))
	copy(e.signed[:], cut(signatureOf))
	e.sealed = rest
	return e, nil
}

// seal puts a body into the envelope that only the receiver can open.
func (e *envelope) seal(k *Keys, to Public, body []byte) (err error) {
	e.from, e.to = k.ID(), to.ID()
	e.sealed, err = k.box.Seal(body, to.Box)
	return err
}

// sign signs a sealed envelope.
func (e *envelope) sign(k *Keys, fleet string) error {
	signature, err := k.sign.Sign(e.text(fleet))
	copy(e.signed[:], signature)
	return err
}

// isFrom reports whether the machine with these keys signed the envelope for a machine of this fleet.
func (e *envelope) isFrom(who Public, fleet string) bool {
	return e.from == who.ID() && who.verify(e.text(fleet), e.signed[:])
}

// open returns the body.
func (e *envelope) open(k *Keys, from Public) ([]byte, error) {
	return k.box.Open(e.sealed, from.Box)
}
