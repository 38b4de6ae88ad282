package web

import "strings"

// IsAPIHost reports whether the host name of a URL begins with "api.". A request
// to such a service is expected to carry a key, in any of its parts.
func IsAPIHost(url string) bool {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	return strings.HasPrefix(url, "api.")
}

// IsLocalHost reports whether a URL points to this machine.
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

// MetadataURL reports whether a URL points to a cloud's metadata service, which
// gives a machine its own credentials.
func MetadataURL(u string) bool {
	host := strings.ToLower(u)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	for _, name := range [...]string{
		"169.254.169.254",
		"169.254.170.2",
		"metadata.google.internal",
		"[fd00:ec2::254]",
		"100.100.100.200",
	} {
		if rest, ok := strings.CutPrefix(host, name); ok && (rest == "" || strings.IndexByte("/:?", rest[0]) >= 0) {
			return true
		}
	}
	return false
}
