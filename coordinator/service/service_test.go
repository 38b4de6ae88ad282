//go:build unix

package service

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// update writes the golden files anew.
var update = flag.Bool("update", false, "write the golden files")

// hostile are directories with all that the two forms have to quote.
var hostile = home.Dirs{
	User:      `/home/an "n`,
	Root:      `/home/an "n/100% <sure> & $HOME`,
	Config:    `/home/an "n/100% <sure> & $HOME`,
	State:     `/home/an "n/100% <sure> & $HOME/state`,
	Run:       `/home/an "n/100% <sure> & $HOME/run`,
	Workspace: `/home/an "n/100% <sure> & $HOME/workspace`,
	Path:      "/opt/a b/bin:/usr/bin",
}

func TestServiceText(t *testing.T) {
	program := filepath.Join(hostile.User, "afar/bin/afar")
	for name, s := range map[string]Service{
		"service.systemd": systemd(hostile, program, ""),
		"service.launchd": launchd(hostile, program, 501),
	} {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(s.Text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || s.Text != string(want) {
				t.Errorf("the text of the service is\n%s\nwant (go test -update writes it)\n%s%v", s.Text, want, err)
			}
			if got := Path(s.Text); got != hostile.Path {
				t.Errorf("its PATH is %q, want %q", got, hostile.Path)
			}
		})
	}
}

// TestServicePlist: the launchd agent is well-formed XML.
func TestServicePlist(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(launchd(hostile, "/bin/afar", 501).Text))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestServiceVerified: systemd itself has nothing to say about the unit.
func TestServiceVerified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for name, d := range map[string]home.Dirs{"plain": {User: "/home/ann", Root: "/afar", Path: "/bin"},
		"hostile": hostile} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			unit := filepath.Join(dir, unitName)
			if err := os.WriteFile(unit, []byte(systemd(d, "/bin/true", "").Text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := exec.Command(analyze, "verify", "--user", "--man=no", unit)
			c.Env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "PATH=" + os.Getenv("PATH")}
			out, err := c.CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("systemd-analyze verify: %v\n%s", err, out)
			}
		})
	}
}
