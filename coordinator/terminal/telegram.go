package terminal

import "github.com/afar-sh/afar/coordinator/wire"

// Telegram shows how the bot stands.
func Telegram(p *Page, t wire.TelegramReply) {
	if !t.Connected {
		p.Line("No bot is connected. Next: afar telegram connect")
		return
	}
	p.Line("Connected as @%s at %s.", OneLine(t.Bot, 60), OneLine(t.API, 100))
	switch {
	case t.Paired:
		p.Line("Paired with %s (chat %s).", OneLine(t.User, 60), OneLine(t.Chat, 30))
	case !t.Pairing:
		p.Line("Paired with nobody. Next: afar telegram pair")
	}
	if t.Pairing {
		p.Line("A pairing code waits to be sent to the bot.")
	}
	if t.Failing != "" {
		p.Line("%s %s", p.Paint(Red, "Failing:"), OneLine(t.Failing, 300))
	}
}
