//go:build unix

package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// A phone is a stand-in for Telegram with the people of a script.
type phone struct {
	server *botapi.Server
	people map[string]*botapi.User
	card   int    // the message that await-card found last
	tap    string // the last tap
}

// cmdBotapi plays Telegram and its people:
//
//	botapi start               a server; sets AFAR_TELEGRAM_API and AFAR_TELEGRAM_TOKEN
//	botapi stop | resume       cut the network, and mend it
//	botapi say WHO TEXT…       a person writes to the bot in private
//	botapi reply WHO TEXT…     a person answers the card
//	botapi await REGEXP        a message of the bot with this text comes
//	botapi once REGEXP         exactly one message in a private chat has this text
//	botapi await-card REGEXP   the same, with buttons: it is the card from now on
//	botapi edited REGEXP       the card itself is edited into this text
//	botapi buttons REGEXP      the card's buttons, joined by " | "
//	botapi tap WHO BUTTON      a person presses a button of the card
//	botapi tap-late WHO BUTTON the same on the card as it once was
//	botapi answered REGEXP     the last tap is answered with this text
func cmdBotapi(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "botapi VERB ARGS…")
	if args[0] == "start" {
		startPhone(ts)
		return
	}
	p := sceneOf(ts).phone
	if p == nil {
		ts.Fatalf("botapi start comes first")
	}
	ts.Check(p.act(args[0], args[1:]))
}

func startPhone(ts *testscript.TestScript) {
	s, err := botapi.Start()
	ts.Check(err)
	ts.Defer(s.Close)
	sceneOf(ts).phone = &phone{server: s, people: map[string]*botapi.User{}}
	ts.Setenv("AFAR_TELEGRAM_API", s.URL())
	ts.Setenv("AFAR_TELEGRAM_TOKEN", s.Token())
}

func (p *phone) act(verb string, args []string) error {
	switch verb {
	case "stop":
		p.server.Stop()
		return nil
	case "resume":
		return p.server.Start()
	}
	if len(args) == 0 {
		return fmt.Errorf("botapi %s needs more", verb)
	}
	text := strings.Join(args[1:], " ")
	switch verb {
	case "once":
		return p.once(args[0])
	case "await", "await-card", "edited", "buttons", "answered":
		return p.look(verb, args[0])
	case "say":
		u := p.person(args[0])
		u.Say(u.ID, text)
		return nil
	case "reply":
		_, err := p.person(args[0]).Reply(p.card, text)
		return err
	case "tap":
		return p.press(p.person(args[0]).Tap, text)
	case "tap-late":
		return p.press(p.person(args[0]).TapLate, text)
	}
	return fmt.Errorf("no such verb: botapi %s", verb)
}

func (p *phone) press(how func(int, string) (string, error), button string) (err error) {
	p.tap, err = how(p.card, button)
	return err
}

func (p *phone) once(pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	found := 0
	for _, u := range p.people {
		for _, m := range p.server.Messages(u.ID) {
			if re.MatchString(m.Text) {
				found++
			}
		}
	}
	if found != 1 {
		return fmt.Errorf("%d messages say %q", found, pattern)
	}
	return nil
}

// look waits until the bot does what a verb and a pattern describe.
func (p *phone) look(verb, pattern string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if verb == "answered" {
		_, err := p.server.AwaitAnswer(ctx, func(a botapi.CallbackAnswer) bool {
			return a.QueryID == p.tap &&
				re.MatchString(a.Text)
		})
		return err
	}
	m, err := p.server.Await(ctx, func(m botapi.Message) bool {
		switch verb {
		case "await-card":
			return len(m.Keyboard) > 0 && re.MatchString(m.Text)
		case "edited":
			return m.ID == p.card && len(m.Edits) > 0 && re.MatchString(m.Text)
		case "buttons":
			return m.ID == p.card && re.MatchString(strings.Join(m.Labels(), " | "))
		}
		return re.MatchString(m.Text)
	})
	if verb == "await-card" {
		p.card = m.ID
	}
	return err
}

// person returns the user with a name. The id depends only on the name.
func (p *phone) person(name string) *botapi.User {
	if p.people[name] == nil {
		p.people[name] = p.server.User(int64(1000+len(p.people)), name)
	}
	return p.people[name]
}
