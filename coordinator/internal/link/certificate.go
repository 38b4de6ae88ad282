package link

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// A Cert is the certificate of the fleet: its PEM files, and its pin, by which alone members know it.
type Cert struct {
	File, KeyFile string
	Pin           string // SHA-256 of the certificate, in hex
}

// Certificate returns the fleet's certificate in a folder. It makes the folder and the certificate
// where they are missing.
func Certificate(dir string) (Cert, error) {
	c := Cert{File: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "cert-key.pem")}
	if _, err := os.Stat(c.File); errors.Is(err, fs.ErrNotExist) {
		if err := makeCertificate(c); err != nil {
			return Cert{}, err
		}
	}
	pair, err := tls.LoadX509KeyPair(c.File, c.KeyFile)
	if err != nil {
		return Cert{}, fmt.Errorf("the certificate of the fleet in %s: %w", dir, err)
	}
	c.Pin = pin(pair.Certificate[0])
	return c, nil
}

// makeCertificate writes the key first: without the certificate, both are made anew.
func makeCertificate(c Cert) error {
	if err := os.MkdirAll(filepath.Dir(c.File), 0o700); err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	never := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	text := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Unix(0, 0), NotAfter: never}
	der, err := x509.CreateCertificate(rand.Reader, text, text, key.Public(), key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := writePEM(c.KeyFile, "PRIVATE KEY", secret); err != nil {
		return err
	}
	return writePEM(c.File, "CERTIFICATE", der)
}

func writePEM(path, kind string, der []byte) error {
	return atomicfile.Write(path, string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func pin(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// ErrPin says that somebody else than the hub listens at its address.
var ErrPin = errors.New("the certificate is not the pinned one")

// pinned returns the settings of a client that knows its server by the pin alone.
func pinned(want string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection decides
		MinVersion:         tls.VersionTLS13,
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || pin(state.PeerCertificates[0].Raw) != want {
				return ErrPin
			}
			return nil
		},
	}
}
