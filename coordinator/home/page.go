package home

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// PageMark returns the path of the file that says where the page is served. The guard reads
// it, because neither the environment of a session nor its project may say so.
func (d Dirs) PageMark() string { return filepath.Join(d.State, "page") }

// NotePage notes where the page is served, and the names of the proxies in front of it. The
// file stays when the coordinator ends: the page will be there again.
func (d Dirs) NotePage(addr string, hosts []string) error {
	text := strings.Join(append([]string{addr}, hosts...), "\n") + "\n"
	if err := atomicfile.Write(d.PageMark(), text); err != nil {
		return fmt.Errorf("note the page: %w", err)
	}
	return nil
}

// Page returns what NotePage noted last, "" for nothing.
func (d Dirs) Page() (addr string, hosts []string) {
	text, err := os.ReadFile(d.PageMark())
	if err != nil {
		return "", nil
	}
	all := strings.Fields(string(text))
	if len(all) == 0 {
		return "", nil
	}
	return all[0], all[1:]
}

// Fleet returns the folder of the keys of this machine in its fleet. It is absent without one.
func (d Dirs) Fleet() string { return filepath.Join(d.State, "fleet") }

// ToolsToken returns the path of the file with the token of the tools that the page's listener
// serves to agents.
func (d Dirs) ToolsToken() string { return filepath.Join(d.State, "tools.token") }
