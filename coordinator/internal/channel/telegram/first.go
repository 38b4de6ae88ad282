package telegram

import (
	"context"
	"os"
	"strings"
)

// ConnectFirst connects the bot that the environment names, where none is stored
// yet. From then on only the stored values count.
func (c *Channel) ConnectFirst(ctx context.Context, getenv func(string) string) {
	token, api := tokenFrom(getenv), getenv("AFAR_TELEGRAM_API")
	if token == "" || api == "" || c.Status().Connected {
		return
	}
	if _, err := c.Connect(ctx, token, api); err != nil {
		c.cfg.Log.Error("connect the bot that the environment names", "err", err)
	}
}

// tokenFrom reads the bot's token from the environment, "" for none.
func tokenFrom(getenv func(string) string) string {
	if token := strings.TrimSpace(getenv("AFAR_TELEGRAM_TOKEN")); token != "" {
		return token
	}
	raw, err := os.ReadFile(getenv("AFAR_TELEGRAM_TOKEN_FILE"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}
