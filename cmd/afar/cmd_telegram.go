package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

const (
	connectFor = 25 * time.Second // Telegram is asked whose token it is
	pairedFor  = 20 * time.Second // of one wait for the pairing's end
	maxToken   = 4 << 10
)

func newTelegram(a *app) *cobra.Command {
	return group("telegram", "Connect your phone",
		newTelegramConnect(a), newTelegramPair(a), newTelegramStatus(a), newTelegramDisconnect(a))
}

func newTelegramConnect(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "connect", Short: "Connect a bot by its token", Args: exactly(),
		Long: "Make a bot with @BotFather in Telegram; it gives you a token. The token is read from\n" +
			"AFAR_TELEGRAM_TOKEN, else from the file that AFAR_TELEGRAM_TOKEN_FILE names, else from a prompt or\n" +
			"from stdin; never from the command line. AFAR_TELEGRAM_API names another Bot API server.",
		RunE: func(c *cobra.Command, _ []string) error { return a.connect(c.Context()) },
	}
}

func (a *app) connect(ctx context.Context) error {
	token, err := a.token(ctx)
	if err != nil {
		return err
	}
	t, err := a.connectWith(ctx, token)
	if err != nil {
		return err
	}
	if t.Paired {
		a.say("Connected as @%s, paired with %s.", t.Bot, t.User)
		return nil
	}
	a.say("Connected as @%s. Next: afar telegram pair", t.Bot)
	return nil
}

func (a *app) connectWith(ctx context.Context, token string) (wire.TelegramReply, error) {
	in := wire.TelegramConnectRequest{Token: token, API: a.getenv("AFAR_TELEGRAM_API")}
	return call(ctx, a, wire.OpTelegramConnect, in, reviving(connectFor))
}

// token returns the token from the variables, or else from the person.
func (a *app) token(ctx context.Context) (string, error) {
	token, err := a.tokenGiven()
	if err != nil || token != "" {
		return token, err
	}
	if token, err = a.tokenTyped(ctx); err != nil {
		return "", err
	}
	token = strings.TrimSpace(token)
	if token == "" {
		return "", errors.New("no token: give it at the prompt or on stdin, or set AFAR_TELEGRAM_TOKEN_FILE")
	}
	return token, nil
}

// tokenGiven returns the token from the variables, "" for none. If a variable names a
// file without a token, that is an error.
func (a *app) tokenGiven() (string, error) {
	if token := strings.TrimSpace(a.getenv("AFAR_TELEGRAM_TOKEN")); token != "" {
		return token, nil
	}
	path := a.getenv("AFAR_TELEGRAM_TOKEN_FILE")
	if path == "" {
		return "", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read AFAR_TELEGRAM_TOKEN_FILE: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read AFAR_TELEGRAM_TOKEN_FILE: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", fmt.Errorf("no token: %s, which AFAR_TELEGRAM_TOKEN_FILE names, is empty", path)
	}
	return token, nil
}

// tokenTyped prompts for the token at a terminal, without echo, or else reads stdin.
func (a *app) tokenTyped(ctx context.Context) (string, error) {
	f, ok := a.stdin.(*os.File)
	if !ok || !isTerminal(f) {
		return interruptible(ctx, func() (string, error) {
			raw, err := io.ReadAll(io.LimitReader(a.stdin, maxToken))
			return string(raw), err
		})
	}
	fd := int(f.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	fmt.Fprint(a.stderr, "Token from @BotFather (not shown): ")
	defer a.tell("")
	raw, err := interruptible(ctx, func() ([]byte, error) { return term.ReadPassword(fd) })
	if errors.Is(err, errInterrupted) {
		_ = term.Restore(fd, before) // the read that goes on would leave the echo off
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return string(raw), err
}

func newTelegramPair(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "pair", Short: "Pair the bot with you, by a code", Args: exactly(),
		Long: "Prints a code, valid for 10 minutes. Send it to the bot as /start CODE from your phone: from then on\n" +
			"the bot obeys you in that chat and nobody else. Waits until that is done.",
	}
	noWait := c.Flags().Bool("no-wait", false, "print the code and return at once")
	c.RunE = func(c *cobra.Command, _ []string) error { return a.pair(c.Context(), !*noWait) }
	return c
}

func (a *app) pair(ctx context.Context, wait bool) error {
	if err := a.connectFirst(ctx); err != nil {
		return err
	}
	newest, err := call(ctx, a, wire.OpLog, wire.LogRequest{Limit: 1, Last: true})
	if err != nil {
		return err
	}
	p, err := call(ctx, a, wire.OpTelegramPair, wire.None{})
	if err != nil {
		return err
	}
	// The code is the only number of six digits on stdout, so names go to stderr.
	bot := ""
	if p.Bot != "" {
		bot = "@" + p.Bot + ", "
	}
	a.tell("Send this to your bot in Telegram (%svalid for %s):", bot,
		wording.Span(time.UnixMilli(p.ExpiresAt).Sub(a.now())+time.Second))
	a.say("/start %s", p.Code)
	if p.Bot != "" {
		a.tellLink("https://t.me/" + p.Bot + "?start=" + p.Code)
	}
	if !wait {
		return nil
	}
	a.tell("Waiting for you there…")
	return a.awaitPairing(ctx, p, end(newest, 0))
}

// tellLink prints a link that opens the bot with the code, and its QR code if a person is
// at a terminal.
func (a *app) tellLink(link string) {
	a.tell("Or open this on your phone and tap START: %s", link)
	if f, ok := a.stdout.(*os.File); !ok || !isTerminal(f) {
		return
	}
	if picture, err := terminal.QR(link); err == nil {
		fmt.Fprintln(a.stderr, picture)
	}
}

// connectFirst connects the bot of the variables if no bot is connected yet.
func (a *app) connectFirst(ctx context.Context) error {
	token, err := a.tokenGiven()
	if err != nil || token == "" {
		return err
	}
	t, err := call(ctx, a, wire.OpTelegram, wire.None{})
	if err != nil || t.Connected {
		return err
	}
	_, err = a.connectWith(ctx, token)
	return err
}

// awaitPairing waits until the code is used, expired or killed. It reads from the journal
// whether the code was used, because a person may have been paired before.
func (a *app) awaitPairing(ctx context.Context, p wire.TelegramPairReply, since int64) error {
	for {
		in := wire.TelegramPairedRequest{WaitMS: pairedFor.Milliseconds()}
		t, err := call(ctx, a, wire.OpTelegramPaired, in, reviving(pairedFor))
		if errors.Is(err, errInterrupted) {
			a.tell("\nNo longer waiting; the code stays valid.")
		}
		if err != nil {
			return err
		}
		if t.Pairing {
			continue
		}
		return a.pairingEnded(ctx, p, t, since)
	}
}

func (a *app) pairingEnded(ctx context.Context, p wire.TelegramPairReply, t wire.TelegramReply, since int64) error {
	happened, err := call(ctx, a, wire.OpLog, wire.LogRequest{After: since, Limit: mostEntries})
	if err != nil {
		return err
	}
	for _, e := range happened.Entries {
		if e.Kind == "telegram.paired" {
			a.say("Paired.")
			a.tell("Questions go to %s from now on, while you are away.", t.User)
			return nil
		}
	}
	if a.now().UnixMilli() >= p.ExpiresAt {
		return errors.New("the code has expired; afar telegram pair makes a new one")
	}
	return errors.New("the code no longer counts, because too many wrong ones came in; afar telegram pair makes a new one")
}

func newTelegramStatus(a *app) *cobra.Command {
	c := &cobra.Command{Use: "status", Short: "Show how the bot stands", Args: exactly()}
	form := "connected, bot, api, paired, user, chat, failing, pairing"
	return asking(a, c, wire.OpTelegram, form, nil, terminal.Telegram)
}

func newTelegramDisconnect(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "disconnect", Short: "Forget the bot, its token and the pairing", Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if _, err := call(c.Context(), a, wire.OpTelegramDisconnect, wire.None{}); err != nil {
				return err
			}
			a.say("Disconnected. The token is deleted here; @BotFather can revoke it.")
			return nil
		},
	}
}
