package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
)

// WebAddr is the address of the page without a file and without AFAR_WEB_ADDR.
const WebAddr = "127.0.0.1:7357"

// WebOff is the address that switches the page off.
const WebOff = "off"

// Web is the table [web].
type Web struct {
	// Addr is where the page is served: a loopback address with a port, or WebOff.
	Addr string `toml:"addr"`
	// Hosts are the names under which a proxy in front of the page is reached.
	Hosts []string `toml:"hosts"`
	// HooksAddr is where webhooks alone are taken too, for a tunnel: a loopback address with a
	// port, or WebOff.
	HooksAddr string `toml:"hooks_addr"`
}

func (w Web) check() error {
	if err := CheckWebAddr(w.Addr); err != nil {
		return fmt.Errorf("web.addr: %w", err)
	}
	if err := CheckWebAddr(cmp.Or(w.HooksAddr, WebOff)); err != nil {
		return fmt.Errorf("web.hooks_addr: %w", err)
	}
	for _, name := range w.Hosts {
		if !isHostName(name) {
			return fmt.Errorf("web.hosts names %q; want host names without scheme and port", name)
		}
	}
	return nil
}

// WebAddrVar is the variable that says where the page is served. It counts over the file.
const WebAddrVar = "AFAR_WEB_ADDR"

// Served returns where the page is served.
func (w Web) Served(getenv func(string) string) string { return cmp.Or(getenv(WebAddrVar), w.Addr) }

// CheckWebAddr refuses what is neither WebOff nor a loopback address with a port.
func CheckWebAddr(addr string) error {
	if addr == WebOff {
		return nil
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("%q is not an address; want one such as %s, or %s", addr, WebAddr, WebOff)
	}
	if _, err := net.LookupPort("tcp", port); err != nil {
		return fmt.Errorf("%q names no port; want one such as %s", addr, WebAddr)
	}
	if ip, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !ip.IsLoopback()) {
		return errors.New("the page listens on loopback alone, such as " + WebAddr +
			"; to reach it from elsewhere, put a proxy in front of it and name it in web.hosts")
	}
	return nil
}

func isHostName(name string) bool {
	return name != "" && len(name) <= 253 && !strings.ContainsFunc(name, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._", r)
	})
}
