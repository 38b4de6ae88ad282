package door

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Errors of a call. ErrDenied says that the caller may not ask for it, and ErrBadRequest that it cannot be understood.
var (
	ErrDenied     = errors.New("refused")
	ErrBadRequest = errors.New("bad request")
)

// BadRequest returns an ErrBadRequest that says what was wrong.
func BadRequest(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrBadRequest, fmt.Sprintf(format, args...))
}

func success(body any, err error) wire.Reply {
	if err != nil {
		return failure(err)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return failure(fmt.Errorf("encode reply: %w", err))
	}
	return wire.Reply{V: wire.Version, Body: raw}
}

func failure(err error) wire.Reply {
	var remote *remoteError
	if errors.As(err, &remote) {
		return wire.Reply{V: wire.Version, Code: remote.code, Error: remote.text}
	}
	code := wire.CodeInternal
	for _, known := range []struct {
		err  error
		code string
	}{
		{core.ErrUnwritable, wire.CodeUnwritable},
		{ErrDenied, wire.CodeDenied},
		{ErrBadRequest, wire.CodeBadRequest},
		{core.ErrNotFound, wire.CodeNotFound},
		{core.ErrNoChannel, wire.CodeBadRequest},
		{feature.ErrAway, wire.CodeSettled},
		{core.ErrBound, wire.CodeBadRequest},
		{ask.ErrScope, wire.CodeBadRequest},
		{ask.ErrTerminal, wire.CodeDenied},
		{ask.ErrSettled, wire.CodeSettled},
		{core.ErrChannel, wire.CodeDenied},
		{undo.ErrGone, wire.CodeSettled},
		{undo.ErrDone, wire.CodeSettled},
		{undo.ErrBusy, wire.CodeSettled},
		{undo.ErrEarly, wire.CodeNotFound},
		{loop.ErrNone, wire.CodeNotFound},
		{loop.ErrDepth, wire.CodeBadRequest},
		{loop.ErrNoTask, wire.CodeBadRequest},
		{topic.ErrName, wire.CodeBadRequest},
		{topic.ErrText, wire.CodeBadRequest},
		{topic.ErrOurs, wire.CodeDenied},
		{run.ErrStale, wire.CodeSettled},
		{run.ErrState, wire.CodeSettled},
		{run.ErrGap, wire.CodeBadRequest},
		{run.ErrUnbegun, wire.CodeSettled},
		{run.ErrOpen, wire.CodeSettled},
		{core.ErrTaken, wire.CodeSettled},
		{context.Canceled, wire.CodeClosing},
	} {
		if errors.Is(err, known.err) {
			code = known.code
			break
		}
	}
	return wire.Reply{V: wire.Version, Code: code, Error: err.Error()}
}
