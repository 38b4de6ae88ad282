package callers

import (
	"context"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// A background session runs in a service of the host, which no session started. Its first
// prompt comes from whoever ran `claude --bg`, and its keys from whoever is attached: a
// person, or a program of another session. Neither shows in the line of its hooks. So we ask
// the kernel who is connected to the service.

// serviceOf returns the processes of the host's service in which the client of a hook runs,
// nil for a client of a terminal. The service has left the session of processes in which it was
// started, as `claude plugin eval` does not. host is the client and its ancestors.
func serviceOf(host []peer.Process) (service []peer.Process) {
	for i := 1; i < len(host) && peer.SameProgram(host[i].Exe, host[0].Exe); i++ {
		service = append(service, host[i])
	}
	if len(service) == 0 || service[0].Terminal || !service[len(service)-1].Leads {
		return nil // a client that another client started
	}
	return service
}

// attached returns a program of a session that is connected to a service of the host, "" for
// none, and whether somebody in a terminal of their own is connected.
func (r *Register) attached(service []peer.Process) (program string, isPerson bool, err error) {
	others, err := peer.Beside(service)
	if err != nil {
		return "", false, err
	}
	for _, line := range others {
		if where := r.Inside(line); where != "" {
			program = where
			continue
		}
		isPerson = isPerson || line[0].Terminal
	}
	return program, isPerson, nil
}

// Unattended returns why a slash command of a background session does not count as the
// person's, "" if it does, and for any other session. It counts while the person is attached
// and nobody else is. The first prompt never counts: it came with the start of the session,
// and a session can start another one.
func (r *Register) Unattended(line []peer.Process, id session.ID) string {
	service := serviceOf(r.host(line))
	if !peer.TellsBeside || len(service) == 0 {
		return ""
	}
	v, err := r.Known.Session(string(id))
	if err != nil {
		return err.Error()
	}
	instead := "Attach to this session in a terminal of your own, `claude attach " + short(id) + "`, and type the " +
		"command there; or run afar in that terminal."
	program, isPerson, err := r.attached(service)
	switch {
	case err != nil:
		return "Afar's commands are a person's, and the system does not tell who is attached to this background " +
			"session. Run afar in a terminal of your own."
	case program != "":
		return "Afar's commands are a person's, and a program of a session (" + program + ") is attached to this one."
	case !isPerson, v.Prompts <= 1:
		return "Afar's commands are a person's, and a session may have started this background session. " + instead
	}
	return ""
}

// short returns the name by which the host attaches to a background session.
func short(id session.ID) string { return string(id[:min(8, len(id))]) }

// watchEvery is the time between two looks at who is attached. The host's own `claude attach`
// needs longer to start.
const watchEvery = 300 * time.Millisecond

// WatchAttached calls found once with a program of a session that is attached to the background session of a line.
// The caller calls end when that no longer matters.
func (r *Register) WatchAttached(ctx context.Context, line []peer.Process, found func(program string)) (end func()) {
	service := serviceOf(r.host(line))
	if !peer.TellsBeside || len(service) == 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for ctx.Err() == nil {
			if program, _, _ := r.attached(service); program != "" {
				found(program)
				return
			}
			select {
			case <-ctx.Done():
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
