package coordinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// sayFor bounds how long a coordinator that cannot start tries to say so.
const sayFor = 5 * time.Second

// SayCannotStart tells the paired person that no coordinator could start, and
// why, as far as token, API and chat can still be read.
func SayCannotStart(ctx context.Context, cfg Config, why error) error {
	person, api := store.PersonOf(cfg.Dirs.Database(), telegram.Name), config.APIOf(cfg.Dirs.ConfigFile())
	if person == nil || api == "" {
		return errors.New("nobody can be told: the pairing or the API is unknown")
	}
	ctx, cancel := context.WithTimeout(ctx, sayFor)
	defer cancel()
	text := fmt.Sprintf("⚠️ Afar on %s cannot start: %v.\n\nUntil that is mended, questions stay at the terminal, "+
		"and sessions "+
		"that nobody attends are refused what they ask for. The guard works. `afar doctor` says what to do.", machine(),
		why)
	return telegram.SayOnce(ctx, telegram.Config{Log: cfg.Log, TokenFile: cfg.Dirs.TokenFile()}, api, person.Address,
		text)
}

// machine names this machine for people.
func machine() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}
