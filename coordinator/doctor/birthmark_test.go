package doctor

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/peer"
)

// TestDoctorBirthmarks: doctor names the person's terminals and browsers that have a birthmark, and
// not what a session starts.
func TestDoctorBirthmarks(t *testing.T) {
	sessions := []peer.Process{
		{PID: 1, Exe: "/usr/bin/bash"}, {PID: 2, Exe: "/usr/bin/bash", Leads: true}, {PID: 3, Exe: "/usr/bin/git"},
		{PID: 4, Exe: "/opt/claude", Leads: true, Terminal: true}, {PID: 5, Exe: "/usr/bin/bash", Terminal: true},
	}
	if got := birthmarks(sessions); got != nil {
		t.Errorf("without the person's: %+v", got)
	}
	own := []peer.Process{
		{PID: 11, Exe: "/usr/bin/zsh", Leads: true, Terminal: true}, {PID: 12, Exe: "/usr/bin/tmux", Leads: true},
		{PID: 13, Exe: "/usr/lib/firefox/firefox"},
	}
	got := birthmarks(append(sessions, own...))
	if len(got) != 1 || got[0].State != "off" ||
		!strings.HasSuffix(got[0].Text, "zsh (process 11), tmux (process 12), firefox (process 13)") ||
		!strings.Contains(got[0].Fix, "phone") || !strings.Contains(got[0].Fix, "new terminal") {
		t.Errorf("have %+v", got)
	}
}
