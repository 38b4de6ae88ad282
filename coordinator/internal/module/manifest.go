// Package module says what a folder below modules may bring: servers of tools for runs, and a
// source of events. It says which content of the folder a person has enabled, what a line of
// the source means, and when the source is started again. The package is pure: the caller
// stores each returned value durably before it acts on it.
package module

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/toml"
)

// Name names a module and its folder.
type Name string

// File is the file of a module that says what it brings.
const File = "module.toml"

// Bounds of what a file says.
const (
	maxBytes   = 64 << 10 // of the file
	maxServers = 20
	maxWords   = 100     // of a command
	maxWord    = 4 << 10 // of a command or a value, in bytes
	maxTitle   = 100     // in bytes
)

// A Manifest is what the file of a module says.
type Manifest struct {
	Title   string
	Source  Source
	Servers []Server // by name
}

// A Source is a command that prints one event per line.
type Source struct {
	Command []string // its program and arguments; none for a module without a source
	EnvFile string   // with variables for it, "" for none
}

// A Server offers tools to runs over MCP. It has a command or an address.
type Server struct {
	Name    string
	Command []string
	URL     string
	EnvFile string
}

// FullName returns the name under which runs know a server of a module. No two modules share one:
// neither part can contain "_".
func (n Name) FullName(s Server) string { return string(n) + "_" + s.Name }

// CheckName returns an error if no module can have this name.
func CheckName(name string) error {
	if !run.IsName(name) {
		return fmt.Errorf("unknown form of module %.60q; want 1 to 40 letters a-z, digits and dashes", name)
	}
	return nil
}

// document is the form of the file.
type document struct {
	Title  string               `toml:"title"`
	Source command              `toml:"source"`
	MCP    map[string]mcpServer `toml:"mcp"`
}

type command struct {
	Command []string `toml:"command"`
	EnvFile string   `toml:"env_file"`
}

type mcpServer struct {
	Command []string `toml:"command"`
	URL     string   `toml:"url"`
	EnvFile string   `toml:"env_file"`
}

// errEmpty says that a module brings nothing.
var errEmpty = errors.New(`it brings nothing; want [source] or [mcp.NAME], each with command = ["./program"]`)

// Parse reads the file of a module.
func Parse(raw []byte) (m Manifest, err error) {
	var d document
	if len(raw) > maxBytes {
		return m, fmt.Errorf("it is longer than %d bytes", maxBytes)
	}
	if err := toml.Decode(raw, &d); err != nil {
		return m, err
	}
	m.Title, m.Source = d.Title, Source(d.Source)
	if err := checkText("title", d.Title, maxTitle); err != nil {
		return m, err
	}
	if err := m.Source.check(); err != nil {
		return m, err
	}
	for _, name := range slices.Sorted(maps.Keys(d.MCP)) {
		s := d.MCP[name]
		m.Servers = append(m.Servers, Server{Name: name, Command: s.Command, URL: s.URL, EnvFile: s.EnvFile})
	}
	if len(m.Servers) > maxServers {
		return m, fmt.Errorf("more than %d servers", maxServers)
	}
	for _, s := range m.Servers {
		if err := s.check(); err != nil {
			return m, err
		}
	}
	if len(m.Source.Command)+len(m.Servers) == 0 {
		return m, errEmpty
	}
	return m, nil
}

func (s Source) check() error {
	if len(s.Command) == 0 && s.EnvFile != "" {
		return errors.New(`source.command is missing; want command = ["./program"]`)
	}
	return checkCommand("source", s.Command, s.EnvFile)
}

func (s Server) check() error {
	key := "mcp." + s.Name
	if !run.IsName(s.Name) {
		return fmt.Errorf("unknown form of server %.60q; want 1 to 40 letters a-z, digits and dashes", s.Name)
	}
	if strings.Contains(strings.Join(s.Command, "")+s.URL, "${") {
		return fmt.Errorf("%s has ${, for which some agents put a variable of theirs", key)
	}
	switch {
	case len(s.Command) > 0 && s.URL != "":
		return fmt.Errorf("%s has command and url; want one of them", key)
	case len(s.Command) > 0:
		return checkCommand(key, s.Command, s.EnvFile)
	case s.URL == "":
		return fmt.Errorf("%s has neither command nor url", key)
	case s.EnvFile != "":
		return fmt.Errorf("%s.env_file is for a command; the server at a url gets no environment", key)
	}
	return checkURL(key, s.URL)
}

// local are the hosts to which a connection needs no encryption.
var local = []string{"localhost", "127.0.0.1", "::1"}

func checkURL(key, address string) error {
	if err := checkText(key+".url", address, maxWord); err != nil {
		return err
	}
	u, err := url.Parse(address)
	switch {
	case err != nil, u.Host == "", u.Fragment != "":
		return fmt.Errorf("%s.url is no address; want https://HOST/PATH", key)
	case u.User != nil:
		return fmt.Errorf("%s.url has a password in it, which each program could read", key)
	case u.Scheme == "https", u.Scheme == "http" && slices.Contains(local, u.Hostname()):
		return nil
	}
	return fmt.Errorf("%s.url is not encrypted; want https, or http to this machine", key)
}

func checkCommand(key string, words []string, envFile string) error {
	if len(words) > maxWords {
		return fmt.Errorf("%s.command has more than %d words", key, maxWords)
	}
	for _, word := range words {
		if err := checkText(key+".command", word, maxWord); err != nil {
			return err
		}
	}
	if len(words) > 0 {
		if err := checkProgram(key, words[0]); err != nil {
			return err
		}
	}
	return checkEnvFile(key, envFile)
}

// checkProgram refuses a program beside the folder: nobody would enable its content.
func checkProgram(key, program string) error {
	switch {
	case program == "":
		return fmt.Errorf("%s.command has no program", key)
	case path.IsAbs(program), isWindowsPath(program), !strings.Contains(program, "/"):
		return nil
	case !inside("", program):
		return fmt.Errorf("%s.command: %.60q leads out of the folder of the module", key, program)
	}
	return nil
}

// checkEnvFile refuses keys inside the folder, which its runs may read.
func checkEnvFile(key, file string) error {
	if file == "" || path.IsAbs(file) || strings.HasPrefix(file, "~/") || isWindowsPath(file) {
		return checkText(key+".env_file", file, maxWord)
	}
	return fmt.Errorf("%s.env_file %.60q must be an absolute path, or begin with ~/", key, file)
}

var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

func isWindowsPath(name string) bool { return drive.MatchString(name) }

// checkText refuses a text that a person could not see as it is.
func checkText(key, s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("%s is longer than %d bytes", key, most)
	}
	if i := strings.IndexFunc(s, hidden); i >= 0 {
		return fmt.Errorf("%s has the invisible character %q", key, []rune(s[i:])[0])
	}
	return nil
}

func hidden(r rune) bool { return r != ' ' && !unicode.IsGraphic(r) }
