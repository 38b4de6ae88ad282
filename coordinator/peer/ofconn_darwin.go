package peer

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// lsof is the system's own program. It shows the connections of our user's processes.
const lsof = "/usr/sbin/lsof"

func ofTCP(local, remote netip.AddrPort) ([]Process, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, lsof, "-nP", "-w", "-iTCP:"+strconv.Itoa(int(remote.Port())), "-Fpn")
	cmd.Env = []string{}
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	all := lines(holdersIn(strings.Lines(out.String()), remote.String()+"->"+local.String()))
	if len(all) == 0 {
		return nil, ErrUnknown
	}
	return all, nil
}
