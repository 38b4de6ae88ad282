// Package cannotstart reports that no coordinator could start: in the file that hooks
// and the doctor read, in the log, and on the person's phone.
package cannotstart

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

const (
	sayEvery = time.Hour       // how often the phone is told of the same reason
	sayFor   = 5 * time.Second // how long it is tried
)

// Report leaves the reason where hooks and the doctor find it, and sends it to the
// phone, the same reason once an hour.
func Report(ctx context.Context, dirs home.Dirs, log *slog.Logger, reason error) {
	before, at := dirs.Failure()
	noted := dirs.NoteFailure(reason.Error())
	defer log.Error("the coordinator cannot start", "err", reason) // its last words
	now, noticed := dirs.Failure()
	if noted != nil || now == before && noticed.Sub(at) < sayEvery {
		return // without a note each start would tell it again
	}
	if err := tell(ctx, dirs, log, reason); err != nil {
		log.Warn("tell the person that the coordinator cannot start", "err", err)
	}
}

// tell sends the reason to the paired person, as far as token, API and chat can still
// be read.
func tell(ctx context.Context, dirs home.Dirs, log *slog.Logger, reason error) error {
	person, api := store.PersonOf(dirs.Database(), telegram.Name), config.APIOf(dirs.ConfigFile())
	if person == nil || api == "" {
		return errors.New("nobody can be told: the pairing or the API is unknown")
	}
	ctx, cancel := context.WithTimeout(ctx, sayFor)
	defer cancel()
	cfg := telegram.Config{Log: log, TokenFile: dirs.TokenFile()}
	return telegram.SayOnce(ctx, cfg, api, person.Address, text(reason))
}

func text(reason error) string {
	return fmt.Sprintf("⚠️ Afar on %s cannot start: %v.\n\n"+
		"Until that is mended, questions stay at the terminal, and sessions that nobody attends are refused what "+
		"they ask for. The guard works. `afar doctor` says what to do.", home.Machine(), reason)
}
