package pageaddr_test

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/pageaddr"
)

var page = pageaddr.Page{Port: "8123", Names: []string{"Box", "box.local"}, Hosts: []string{"box.tail.ts.net"}}

// hosts are the names of the page's host, and whether each is one.
var hosts = map[string]bool{
	"127.0.0.1": true, "127.0.0.2": true, "127.1": true, "127.255.255.254": true, "2130706433": true,
	"0x7f000001": true, "0X7F.1": true, "0177.0.0.1": true, "0x7f.0.0.1": true, "017700000001": true,
	"127.0.1": true, "0.0.0.0": true, "0": true, "0x0": true, "localhost": true, "LOCALHOST": true,
	"localhost.": true, "a.localhost": true, "a.b.localhost.": true, "[::1]": true, "[0:0:0:0:0:0:0:1]": true,
	"[::]": true, "[::ffff:127.0.0.1]": true, "[::ffff:7f00:1]": true, "[::127.0.0.1]": true,
	"[::1%25lo]": true, "127.0.0.1.nip.io": true, "x.localtest.me": true, "box": true, "BOX.local": true,
	"%6cocalhost": true, "１２７.0.0.1": true, "ⓛocalhost": true, "127。0。0。1": true, "user:pw@localhost": true,
	"\x01": true, "ip6-localhost": true, "box.tail.ts.net": true,

	"example.com": false, "10.0.0.1": false, "128.0.0.1": false, "localhost.example.com": false,
	"notlocalhost": false, "192.168.1.2": false, "[2001:db8::1]": false, "1.2.3.4": false, "8080": false,
	"12.7.0.0.1": false, "box.example": false, "localhost@example.com": false, "0x80000001": false,
}

func TestURL(t *testing.T) {
	for host, want := range hosts {
		for _, form := range []string{
			"http://%s:8123", "http://%s:8123/", "https://%s:8123/a?b#c", " HTTP://%s:08123/x\n", "%s:8123/x",
			"http:\\\\%s:8123\\x",
			"http:%s:8123", "ws://%s:8123/live", "view-source:http://%s:8123/",
		} {
			if text := strings.Replace(form, "%s", host, 1); page.URL(text) != want {
				t.Errorf("%q: %t", text, !want)
			}
		}
		if strings.ContainsAny(host, "\x01%@") {
			continue
		}
		for _, form := range []string{"open http://%s:8123/x now", "(http://%s:8123)", "see %s:8123."} {
			if text := strings.Replace(form, "%s", host, 1); page.Mentions(text) != want && host != "box.tail.ts.net" {
				t.Errorf("%q: %t", text, !want)
			}
		}
	}
	for text, want := range map[string]bool{
		"http://localhost:3000":                 false,
		"http://localhost:81234":                false,
		"http://localhost:18123":                false,
		"http://localhost:3000/?x=8123":         false,
		"http://localhost:3000/8123":            false,
		"http://localhost":                      false,
		"http://example.com/localhost:8123":     false,
		"http://box.tail.ts.net/":               true,
		"https://box.tail.ts.net:8443/x":        true,
		"https://BOX.tail.ts.net.":              true,
		"https://other.tail.ts.net/":            false,
		"http://local\nhost:81\t23":             true,
		"http://evil@localhost:8123":            true,
		"http://localhost:8123@evil.example":    false,
		"javascript:fetch('//localhost:8123/')": false, // code: see Code
		"":                                      false,
		"8123":                                  false,
	} {
		if page.URL(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
	for text, want := range map[string]bool{
		"http://localhost": true, "http://localhost/x": true, "https://localhost": false,
		"http://localhost:3000": false,
		"http://example.com":    false,
	} {
		if (pageaddr.Page{Port: "80"}).URL(text) != want {
			t.Errorf("on port 80, %q: %t", text, !want)
		}
	}
	if !(pageaddr.Page{}).URL("localhost:7357") || (pageaddr.Page{}).URL("localhost:8123") {
		t.Error("the usual port is another one")
	}
}

// TestIPv4: an address has up to four numbers, of which the last one fills the rest.
func TestIPv4(t *testing.T) {
	for host, want := range map[string]uint64{
		"1.2.3.4": 0x01020304, "1.2.772": 0x01020304, "0x1020304": 0x01020304, "1.2.3.4.0": 0, "1.256.3.4": 0, "1.2.3.256": 0,
	} {
		if got, ok := pageaddr.IPv4(host); ok != (want != 0) || ok && got != want {
			t.Errorf("%s: %#x, %t", host, got, ok)
		}
	}
}

func TestArgs(t *testing.T) {
	for args, want := range map[string]bool{
		"localhost 8123":                              true,
		"-p 8123 127.0.0.1":                           true,
		"--host=localhost --port=8123":                true,
		":8123/x":                                     true,
		"--resolve foo:8123:127.0.0.1 http://foo/":    true,
		"--connect-to ::localhost:8123 http://foo/":   true,
		"-L 9000:localhost:8123 me@host":              true,
		"-L9000:[::1]:8123 me@host":                   true,
		"- TCP4:127.0.0.1:8123,crlf":                  true,
		"-connect localhost:8123":                     true,
		"-H Host:localhost:8123 http://1.2.3.4":       true,
		"https://proxy/?u=http://localhost:8123":      true,
		"https://box.tail.ts.net/settings":            true,
		"http://localhost:3000":                       false,
		"http://localhost:3000/?a=8123":               false,
		"-l 8123":                                     false,
		"example.com 8123":                            false,
		"-L 8123:db:5432 me@host":                     false,
		"-d port=8123 http://localhost:3000":          false,
		"localhost 3000":                              false,
		"me@box.tail.ts.net":                          false,
		"-o out-8123.txt http://localhost:3000/x.txt": false,
	} {
		if page.Args(strings.Fields(args)) != want {
			t.Errorf("%q: %t", args, !want)
		}
	}
}

func TestCode(t *testing.T) {
	for code, want := range map[string]bool{
		`urllib.request.urlopen("http://127.0.0.1:8123/")`:           true,
		`fetch('http://localhost:8123')`:                             true,
		`s.connect(("localhost", 8123))`:                             true,
		`http.request({host: 'localhost', port: 8123})`:              true,
		`net.connect(8123)`:                                          true,
		`http.client.HTTPConnection("127.1", 8123)`:                  true,
		`TCPSocket.new("::1", 8123)`:                                 true,
		"fetch(`http://${h}:8123/`, {headers: {host: 'localhost'}})": true,
		`"/inet/tcp/0/localhost/8123"`:                               true,
		`app.listen(8123)`:                                           false,
		`print(8123)`:                                                false,
		`fetch("http://localhost:3000/")`:                            false,
		`fetch("http://example.com:8123/")`:                          false,
	} {
		if page.Code(code) != want {
			t.Errorf("%s: %t", code, !want)
		}
	}
}

func FuzzPage(f *testing.F) {
	for host := range hosts {
		f.Add("http://" + host + ":8123/x")
	}
	f.Add("%zz:8123 [::1:8123 ]:8123 0x:8123 ::::8123")
	f.Fuzz(func(t *testing.T, text string) {
		page.URL(text)
		page.Mentions(text)
		page.Args(strings.Fields(text))
		page.Code(text)
		page.PortAlone([]string{text})
		if !page.URL("http://localhost:8123/" + text) {
			t.Errorf("a path hides the page: %q", text)
		}
	})
}
