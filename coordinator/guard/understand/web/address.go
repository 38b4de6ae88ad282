package web

import (
	"strings"
)

// IsAPIHost is true of a service that names itself an API: a key belongs there, in
// whatever part of the request the service wants it.
func IsAPIHost(url string) bool {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.HasPrefix(url, "api.")
}

// IsLocalHost is true of an address on this machine.
func IsLocalHost(url string) bool {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	for _, name := range [...]string{"localhost", "127.", "0.0.0.0", "[::1]"} {
		if strings.HasPrefix(url, name) {
			return true
		}
	}
	return false
}

// MetadataURL is true of the address at which a cloud hands a machine its own
// credentials.
func MetadataURL(u string) bool {
	host := strings.ToLower(u)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	for _, name := range [...]string{"169.254.169.254", "169.254.170.2", "metadata.google.internal", "[fd00:ec2::254]", "100.100.100.200"} {
		if rest, ok := strings.CutPrefix(host, name); ok && (rest == "" || strings.IndexByte("/:?", rest[0]) >= 0) {
			return true
		}
	}
	return false
}
