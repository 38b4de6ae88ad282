package link

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nkeys"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// idLength is the length of a fingerprint.
const idLength = 16

// A Public is what others know of a machine's keys.
type Public struct {
	Sign string `json:"sign"` // a user nkey
	Box  string `json:"box"`  // a curve nkey
}

// ID returns the fingerprint of the keys: who the machine is.
func (p Public) ID() string {
	sum := sha256.Sum256([]byte(p.Sign + " " + p.Box))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:idLength])
}

// Check returns an error unless both are keys.
func (p Public) Check() error {
	if !nkeys.IsValidPublicUserKey(p.Sign) {
		return errors.New("the key that signs is no user nkey")
	}
	if !nkeys.IsValidPublicCurveKey(p.Box) {
		return errors.New("the key that opens is no curve nkey")
	}
	return nil
}

// verify reports whether the machine signed the text.
func (p Public) verify(text, signature []byte) bool {
	key, err := nkeys.FromPublicKey(p.Sign)
	return err == nil && key.Verify(text, signature) == nil
}

// Keys are the secret keys of this machine.
type Keys struct {
	Public
	sign, box nkeys.KeyPair
}

// LoadKeys returns the keys in a folder. It makes the folder, and the keys that are missing.
func LoadKeys(dir string) (*Keys, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sign, err := loadKey(filepath.Join(dir, "sign.nkey"), nkeys.CreateUser)
	if err != nil {
		return nil, err
	}
	box, err := loadKey(filepath.Join(dir, "box.nkey"), nkeys.CreateCurveKeys)
	if err != nil {
		return nil, err
	}
	return newKeys(sign, box)
}

func newKeys(sign, box nkeys.KeyPair) (*Keys, error) {
	k := &Keys{sign: sign, box: box}
	var errs [2]error
	k.Sign, errs[0] = sign.PublicKey()
	k.Box, errs[1] = box.PublicKey()
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	return k, k.Check()
}

// loadKey returns the key in a file, after making one where there is no file.
func loadKey(path string, make func() (nkeys.KeyPair, error)) (nkeys.KeyPair, error) {
	seed, err := os.ReadFile(path)
	if err == nil {
		key, err := nkeys.FromSeed([]byte(strings.TrimSpace(string(seed))))
		if err != nil {
			return nil, fmt.Errorf("%s has no key: %w", path, err)
		}
		return key, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key, err := make()
	if err != nil {
		return nil, err
	}
	if seed, err = key.Seed(); err != nil {
		return nil, err
	}
	return key, atomicfile.Write(path, string(seed)+"\n")
}
