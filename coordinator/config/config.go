// Package config reads and writes config.toml, the person's settings file. It refuses an
// unknown key with an error that names the key and its line.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"

	"github.com/afar-sh/afar/coordinator/toml"
)

// TelegramAPI is the default of telegram.api.
const TelegramAPI = "https://api.telegram.org"

// Config is the whole file.
type Config struct {
	// AnswersFrom names the channels whose answers count. If it is left out, all count.
	AnswersFrom Channels `toml:"answers_from"`

	Telegram   Telegram   `toml:"telegram"`
	Web        Web        `toml:"web"`
	CheckIn    CheckIn    `toml:"checkin"`
	Quiet      Quiet      `toml:"quiet"`
	Report     Report     `toml:"report"`
	Escalation Escalation `toml:"escalation"`
	Asks       Asks       `toml:"asks"`
	Loop       Loop       `toml:"loop"`
	Issues     Issues     `toml:"issues"`
	Consult    Consult    `toml:"consult"`
	Runs       Runs       `toml:"runs"`
	Agents     Agents     `toml:"agents"`
	Sweep      Sweep      `toml:"sweep"`
	Background Background `toml:"background"`
	Memory     Memory     `toml:"memory"`
	Wall       Wall       `toml:"wall"`
}

// Telegram is the table [telegram].
type Telegram struct {
	// API is the base URL of the Bot API: Telegram's own, or a self-hosted one.
	API string `toml:"api"`
}

// Default is the configuration without a file.
func Default() Config {
	return Config{
		Telegram:   Telegram{API: TelegramAPI},
		Web:        Web{Addr: WebAddr, HooksAddr: WebOff},
		CheckIn:    CheckIn{Hold: hold},
		Asks:       AsksByDefault,
		Loop:       Loop{RetryAfter: retryAfter, ShellsFor: shellsFor},
		Issues:     Issues{Review: ReviewOn},
		Consult:    Consult{consultPrograms, consultTimeout},
		Runs:       runsByDefault,
		Sweep:      sweepByDefault,
		Background: backgroundByDefault,
		Memory:     memoryByDefault,
	}
}

// Load returns the defaults with the values of the file at path. The file may be missing.
func Load(path string) (Config, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("read config: %w", err)
	}
	c, err := Parse(raw)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// APIOf returns telegram.api of the file at path, even if other parts of the file are
// invalid. It returns "" if the file cannot be read or the value is not a URL.
func APIOf(path string) string {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return TelegramAPI
	}
	part := struct {
		Telegram Telegram `toml:"telegram"`
	}{Telegram{API: TelegramAPI}}
	if err != nil || toml.DecodePart(raw, &part) != nil || CheckAPI(part.Telegram.API) != nil {
		return ""
	}
	return part.Telegram.API
}

// Parse returns the defaults with the values of a file's text.
func Parse(raw []byte) (Config, error) {
	c := Default()
	if err := toml.Decode(raw, &c); err != nil {
		return Config{}, err
	}
	return c, c.check()
}

func (c Config) check() error {
	err := errors.Join(
		c.AnswersFrom.check(),
		c.Web.check(),
		c.CheckIn.check(),
		c.Quiet.check(),
		c.Escalation.check(),
		c.Asks.check(),
		c.Loop.check(),
		c.Issues.check(),
		c.Consult.check(),
		c.Runs.check(),
		c.Agents.check(),
		c.Sweep.check(),
		c.Memory.check(),
		c.Background.check(),
		c.Wall.check(),
	)
	if err != nil {
		return err
	}
	if slices.Equal(c.AnswersFrom.Names(), []string{"web"}) && c.Web.Addr == WebOff {
		return errors.New("answers_from names web alone, and web.addr is off: nobody could answer")
	}
	return CheckAPI(c.Telegram.API)
}

// CheckAPI returns an error if api cannot be the base URL of a Bot API.
func CheckAPI(api string) error {
	u, err := url.Parse(api)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return fmt.Errorf("telegram.api must be an http or https URL, not %q", api)
	}
	return nil
}
