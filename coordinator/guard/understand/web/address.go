package web

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/pageaddr"
)

// HostOf returns the host of a URL in lower case, without its port. It returns "" if
// the host is this machine and only a port is given, as in ":3000/x" of httpie.
func HostOf(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		url = rest
	}
	if i := strings.IndexAny(url, `/?#\`); i >= 0 {
		url = url[:i]
	}
	if i := strings.LastIndexByte(url, '@'); i >= 0 {
		url = url[i+1:]
	}
	host := strings.ToLower(url)
	if inside, _, ok := strings.Cut(strings.TrimPrefix(host, "["), "]"); ok && host[0] == '[' {
		return inside
	}
	host, _, _ = strings.Cut(host, ":")
	return strings.TrimSuffix(host, ".")
}

// IsAPIHost reports whether the host name of a URL begins with "api.". A request
// to such a service is expected to carry a key, in any of its parts.
func IsAPIHost(url string) bool { return strings.HasPrefix(HostOf(url), "api.") }

// localNames are the hosts that are this machine, and localDomains are the domains
// that are reserved for it and for tests.
const (
	localNames   = "localhost localhost.localstack.cloud 0.0.0.0 ::1 host.docker.internal host.containers.internal"
	localDomains = ".localhost .localhost.localstack.cloud .test .localtest.me .lvh.me"
)

// IsLocalHost reports whether a URL points to this machine.
func IsLocalHost(url string) bool {
	host := HostOf(url)
	switch {
	case host == "":
		return strings.HasPrefix(url, ":")
	case lex.OneOf(host, localNames), lex.EndsWith(host, localDomains):
		return true
	}
	return strings.HasPrefix(host, "127.")
}

// metadataHosts give a machine in a cloud its own credentials.
const metadataHosts = "169.254.169.254 169.254.170.2 169.254.170.23 100.100.100.200 192.0.0.192 fd00:ec2::254 " +
	"fd00:ec2::23 metadata metadata.google.internal metadata.goog instance-data instance-data.ec2.internal"

// MetadataURL reports whether a URL points to a cloud's metadata service. The address may
// be written as one number, as http://2852039166/ is.
func MetadataURL(u string) bool {
	host := HostOf(u)
	if host == "" {
		return false
	}
	if !lex.IsLetter(host[0]) && !strings.Contains(host, ":") {
		number, ok := pageaddr.IPv4(host)
		return ok && (number == 169<<24|254<<16|169<<8|254 || lex.OneOf(host, metadataHosts))
	}
	return lex.OneOf(host, metadataHosts) && (host != "metadata" || strings.Contains(u, "computeMetadata"))
}
