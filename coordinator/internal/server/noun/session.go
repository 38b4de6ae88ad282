package noun

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/usage"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// mostSteps bounds the tool calls that a session shows.
const mostSteps = 100

// showSession shows one session, also one that has ended.
func (s *Server) showSession(_ *door.Call, v session.Session) (out wire.SessionReply, err error) {
	var steps []usage.Step
	if v.Transcript != "" {
		steps = s.cfg.Steps(v.Transcript, mostSteps)
	}
	return wire.SessionReply{Session: s.wireSession(v), Steps: wire.List(steps, wireStep)}, nil
}

// someSessions shows a part of the sessions that run.
func (s *Server) someSessions(_ *door.Call, in wire.SessionsRequest) (out wire.SessionsReply, err error) {
	if in.From < 0 || in.Most < 1 {
		return out, door.BadRequest("sessions: want from 0 or more, and most 1 or more")
	}
	some, all := s.cfg.Core.Running(in.From, in.Most)
	theirs := mirrored[wire.Session](s, fleet.OfSession)
	if in.Machine != "" && in.Machine != s.cfg.Core.Fleet().Name {
		some, all = nil, 0
	}
	theirs = slices.DeleteFunc(theirs, func(v wire.Session) bool { return !v.On(in.Machine) })
	out = wire.SessionsReply{Sessions: wire.List(some, s.wireSession), All: all + len(theirs)}
	theirs = theirs[min(max(0, in.From-all), len(theirs)):]
	out.Sessions = append(out.Sessions, theirs[:min(in.Most-len(some), len(theirs))]...)
	return out, nil
}

func wireStep(step usage.Step) wire.Step {
	w := wire.Step{At: wire.Millis(step.At), Tool: step.Tool, Input: stepInput(step)}
	if step.Ended {
		w.TookMS, w.Outcome = step.Took.Milliseconds(), "ok"
	}
	if step.Failed {
		w.Outcome = "failed"
	}
	return w
}

// stepInput returns the input of a tool call as one masked line.
func stepInput(step usage.Step) string { return callLine(step.Tool, step.Input) }

// callLine returns the input of a call as one masked line, "" if it has another form.
func callLine(tool string, input []byte) string {
	return text.Fold(ask.Elide(callText(tool, input), maxStep))
}

// callText returns the input of a call as people read it, masked, "" if it has another form.
func callText(tool string, input []byte) string {
	in, err := hookinput.ReadTool(tool, input)
	if err != nil {
		return ""
	}
	return in.Text("")
}
