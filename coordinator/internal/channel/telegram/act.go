package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A said is how a reply is worded: as a text, or with a message that has buttons. Where a button was tapped,
// the text answers the tap and the message follows, or takes the place of the message edit.
type said struct {
	text string
	show *rendered
	edit channel.MessageID
}

// A saying words what an operation comes to.
type saying struct {
	op   string
	head string // begins what is said of an error
	gone string // said where what was named is gone, "" for the error itself
	say  func(l *link, in channel.Reply) (said, error)
}

// sayings returns how the reply of each operation is worded that the person asks for here.
func sayings() []saying {
	all := []saying{
		words(wire.OpRunStart, "Nothing was started: ", "", (*link).saidStarted),
		words(wire.OpRunStop, "Nothing was changed: ", runGone, (*link).saidStopped),
		words(wire.OpRun, "", runGone, (*link).saidRun),
		words(wire.OpRuns, "", "", (*link).saidRuns),
		words(wire.OpSend, "Nothing was sent: ", "", (*link).saidSent),
		words(wire.OpTurnStop, "Nothing was changed: ", "", saidTurn),
		words(wire.OpAway, "Nothing was changed: ", "", (*link).saidAway),
		words(wire.OpPause, "Not done: ", "", saidPaused),
		words(wire.OpGrants, "", "", (*link).saidGrants),
		words(wire.OpRevoke, "Nothing was changed: ", "", (*link).saidRevoked),
		words(wire.OpUndo, "Nothing was changed: ", "", saidUndoing),
		words(wire.OpTaskNew, "Not done: ", "", (*link).saidTaskNew),
		words(wire.OpTask, "Not done: ", "", (*link).saidTask),
		words(wire.OpTasks, "Not done: ", "", (*link).saidTasks),
		words(wire.OpMemoryAdd, "Not done: ", "", saidRemembered),
		words(wire.OpInbox, "Not done: ", "", (*link).saidInbox),
		words(wire.OpSessions, "", "", (*link).saidSessions),
	}
	return append(all, nounSayings()...)
}

// words returns how the replies of an operation are worded. as is what the person did.
func words[Request, Reply any](
	op wire.Op[Request, Reply], head, gone string, say func(l *link, as string, reply Reply) (said, error),
) saying {
	return saying{op: string(op), head: head, gone: gone, say: func(l *link, in channel.Reply) (out said, err error) {
		var reply Reply
		if in.In == nil {
			if err := json.Unmarshal(in.Body, &reply); err != nil {
				return out, core.GiveUp(err)
			}
			if thing, isThing := any(&reply).(interface{ From(wire.Origin) }); isThing && in.Machine != "" {
				thing.From(wire.Origin{Machine: in.Machine})
			}
			return say(l, in.As, reply)
		}
		var request Request
		if err := json.Unmarshal(in.In, &request); err != nil {
			return out, core.GiveUp(err)
		}
		if reply, err = call(l, Name, op, request); err != nil {
			return out, err
		}
		return say(l, in.As, reply)
	}}
}

// order carries out an operation for what the person did. Its reply is told where they did it.
func order[Request, Reply any](l *link, act channel.Act, op wire.Op[Request, Reply], in Request) error {
	return l.order(act, string(op), in)
}

func (l *link) order(act channel.Act, op string, in any) error {
	ctx, cancel := context.WithTimeout(context.Background(), l.pace.slack)
	defer cancel()
	return l.cfg.Act(ctx, act, op, in)
}

// failed says why an operation did not work.
func failed(head, why string) string {
	for _, code := range []string{"bad request: ", "refused: "} {
		why = strings.TrimPrefix(why, code)
	}
	return head + strings.TrimSuffix(why, ".") + "."
}

// said words a settlement.
func (l *link) said(raw string) (s channel.Settlement, out said, err error) {
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return s, out, core.GiveUp(err)
	}
	switch {
	case s.Choose != "":
		return s, said{show: l.choice(s.To, s.Choose)}, nil
	case s.Edit != "":
		return s, said{text: s.Text, show: &rendered{html: ticks(elide(s.Text, maxText))}, edit: s.Edit}, nil
	case s.Reply == nil:
		return s, said{text: s.Text}, nil
	}
	for _, one := range sayings() {
		switch {
		case one.op != s.Reply.Op:
		case s.Reply.Soon:
			return s, said{text: l.onItsWay(s.Reply.Machine)}, nil
		case s.Reply.Code == wire.CodeNotFound && one.gone != "":
			return s, said{text: one.gone}, nil
		case s.Reply.Error != "":
			return s, said{text: onMachine(s.Reply.Machine) + failed(one.head, s.Reply.Error)}, nil
		default:
			out, err = one.say(l, *s.Reply)
			switch {
			case err == nil, errors.Is(err, core.ErrGiveUp), errors.Is(err, core.ErrUnwritable):
				return s, out, err
			case errors.Is(err, core.ErrNotFound) && one.gone != "":
				return s, said{text: one.gone}, nil
			}
			return s, said{text: failed(one.head, err.Error())}, nil
		}
	}
	return s, out, core.GiveUp(errors.New("there are no words for " + s.Reply.Op))
}
