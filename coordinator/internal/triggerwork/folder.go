// Package triggerwork reads the folder triggers, sends what its rules fire, and takes
// webhooks.
package triggerwork

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// Zones returns the time zone with a name, and that of this machine for "".
func Zones(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	return time.LoadLocation(name)
}

// A Folder holds the files of the triggers, and the secrets of the webhooks elsewhere.
type Folder struct {
	dir     string
	secrets string
}

// NewFolder returns the folder at dir. The secrets are below secrets, where no agent may read.
func NewFolder(dir, secrets string) Folder { return Folder{dir: dir, secrets: secrets} }

const suffix = ".md"

// Path returns the file of a trigger.
func (f Folder) Path(name trigger.Name) string { return filepath.Join(f.dir, string(name)+suffix) }

// List returns the names of all files that can be triggers, in order.
func (f Folder) List() (all []trigger.Name, err error) {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), suffix)
		if ok && trigger.CheckName(name) == nil {
			all = append(all, trigger.Name(name))
		}
	}
	return all, err
}

// Read returns the text of a file. The error for a missing file is fs.ErrNotExist.
func (f Folder) Read(name trigger.Name) (string, error) {
	raw, err := disk.Head(f.Path(name), trigger.MaxBytes)
	return string(raw), err
}

// Create writes the file of a new trigger. It refuses a name that has a file.
func (f Folder) Create(name trigger.Name, text string) error {
	if _, err := os.Lstat(f.Path(name)); err == nil {
		return fmt.Errorf("trigger %s exists already: %w", name, fs.ErrExist)
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(f.Path(name), text)
}

// Remove removes the file of a trigger and its secret, where there are any.
func (f Folder) Remove(name trigger.Name) error {
	return errors.Join(gone(f.Path(name)), gone(f.secretFile(name)))
}

func gone(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (f Folder) secretFile(name trigger.Name) string {
	return filepath.Join(f.secrets, string(name)+".secret")
}

// secretPrefix begins the secrets of Standard Webhooks.
const secretPrefix = "whsec_"

// NewSecret makes the secret of a webhook, in place of the one that it has, and returns it.
func (f Folder) NewSecret(name trigger.Name, auth trigger.Auth) (string, error) {
	var key [32]byte
	_, _ = rand.Read(key[:]) // it never fails, by its contract
	secret := base64.RawURLEncoding.EncodeToString(key[:])
	if auth == trigger.Standard {
		secret = secretPrefix + base64.StdEncoding.EncodeToString(key[:])
	}
	if err := os.MkdirAll(f.secrets, 0o700); err != nil {
		return "", err
	}
	return secret, atomicfile.Write(f.secretFile(name), secret+"\n")
}

// secret returns the secret of a webhook.
func (f Folder) secret(name trigger.Name) (string, error) {
	raw, err := disk.Head(f.secretFile(name), 4<<10)
	secret := strings.TrimSpace(string(raw))
	if err == nil && secret == "" {
		err = fmt.Errorf("the secret of trigger %s is empty; afar trigger rotate %s", name, name)
	}
	return secret, err
}

// HasSecret reports whether a webhook has a secret.
func (f Folder) HasSecret(name trigger.Name) bool {
	_, err := f.secret(name)
	return err == nil
}
