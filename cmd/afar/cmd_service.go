package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

func newService(a *app) *cobra.Command {
	c := group("service", "Start the coordinator with your login, and again when it dies",
		serviceVerb(a, "on", "Have it start with your login", (*app).serviceOn),
		serviceVerb(a, "off", "Take that away; the coordinator that runs stays", (*app).serviceOff))
	c.Long = "Without it, the coordinator starts with the first session or command. Afar uses what your system has:\n" +
		"a systemd user unit, or a launchd agent. `afar stop` stops the coordinator with it, too, until the\n" +
		"next session, command or login. `afar doctor` says whether it is on."
	return c
}

func serviceVerb(a *app, verb, short string, do func(*app, context.Context) error) *cobra.Command {
	return &cobra.Command{Use: verb, Short: short, Args: exactly(), RunE: func(c *cobra.Command, _ []string) error {
		if err := a.personOnly("service " + verb); err != nil {
			return err
		}
		return do(a, c.Context())
	}}
}

// A service describes how a system starts a program at login.
type service struct {
	file    string // that describes it
	text    string
	on, off [][]string // programs that put it to work, and end it
}

// service returns the login service of this system.
func (a *app) service() (service, error) {
	d, err := a.dirs()
	if err != nil {
		return service{}, err
	}
	program := home.Program(a.bin, "afar")
	switch runtime.GOOS {
	case "linux":
		return systemd(d, program, a.getenv("XDG_CONFIG_HOME")), nil
	case "darwin":
		return launchd(d, program), nil
	}
	return service{}, fmt.Errorf("there is no login service for %s yet", runtime.GOOS)
}

const unitName = "afar.service"

func systemd(d home.Dirs, program, config string) service {
	if !filepath.IsAbs(config) {
		config = filepath.Join(d.User, ".config")
	}
	var b strings.Builder
	b.WriteString("# Written by `afar service on`, removed by `afar service off`.\n" +
		"[Unit]\nDescription=Afar: asks you on the phone what your sessions want to know\n\n[Service]\n")
	for _, v := range d.Env() {
		fmt.Fprintf(&b, "Environment=%s\n", unitQuote(v))
	}
	fmt.Fprintf(&b, "ExecStart=%s serve "+
		"--standby\nRestart=on-failure\nRestartSec=30\n\n[Install]\nWantedBy=default.target\n", unitQuote(program))
	return service{
		file: filepath.Join(config, "systemd", "user", unitName), text: b.String(),
		on: [][]string{
			{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", unitName},
			{"systemctl", "--user", "restart", unitName}, // a unit that was there may be of another folder
		},
		off: [][]string{{"systemctl", "--user", "disable", "--now", unitName}},
	}
}

// unitQuote quotes a word for a unit file.
func unitQuote(word string) string { return strings.ReplaceAll(strconv.Quote(word), "%", "%%") }

const agentName = "sh.afar.coordinator"

func launchd(d home.Dirs, program string) service {
	var env strings.Builder
	for _, v := range d.Env() {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&env, "    <key>%s</key><string>%s</string>\n", xmlText(name), xmlText(value))
	}
	file := filepath.Join(d.User, "Library", "LaunchAgents", agentName+".plist")
	user := "gui/" + strconv.Itoa(os.Getuid())
	return service{
		file: file,
		text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by "afar service on", removed by "afar service off". -->
<plist version="1.0">
<dict>
  <key>Label</key><string>` + agentName + `</string>
  <key>ProgramArguments</key><array><string>` + xmlText(program) +
			`</string><string>serve</string><string>--standby</string></array>
  <key>EnvironmentVariables</key><dict>
` + env.String() + `  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>30</integer>
</dict>
</plist>
`,
		on:  [][]string{{"launchctl", "bootstrap", user, file}},
		off: [][]string{{"launchctl", "bootout", user + "/" + agentName}},
	}
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

// serviceOn writes the service and starts it. If the system does not accept it, serviceOn
// removes it again.
func (a *app) serviceOn(ctx context.Context) error {
	s, err := a.service()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.file), 0o755); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	if err := os.WriteFile(s.file, []byte(s.text), 0o644); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	for _, c := range s.on {
		if err := a.tool(ctx, c); err != nil {
			return errors.Join(fmt.Errorf("this system did not accept the service, so it is not installed: %w", err),
				os.Remove(s.file))
		}
	}
	a.say("The coordinator starts with your login now (%s).", s.file)
	a.say("`afar service off` takes that away.")
	return nil
}

func (a *app) serviceOff(ctx context.Context) error {
	s, err := a.service()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(s.file); errors.Is(err, fs.ErrNotExist) {
		a.say("The service is not on.")
		return nil
	}
	for _, c := range s.off {
		if err := a.tool(ctx, c); err != nil {
			a.tell("Warning: %v", err) // the file must go all the same
		}
	}
	if err := os.Remove(s.file); err != nil {
		return fmt.Errorf("remove the service: %w", err)
	}
	a.say("The coordinator does not start with your login any more. Removed %s.", s.file)
	return nil
}

// toolFor bounds one run of a program of the system.
const toolFor = 30 * time.Second

// tool runs a program of the system. Its error contains what the program printed.
func (a *app) tool(ctx context.Context, command []string) error {
	path := lookPath(a.getenv("PATH"), command[0])
	if path == "" {
		return fmt.Errorf("%s is not on PATH", command[0])
	}
	ctx, cancel := context.WithTimeout(ctx, toolFor)
	defer cancel()
	c := exec.CommandContext(ctx, path, command[1:]...)
	c.WaitDelay = time.Second
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(command, " "), err, oneLine(string(out), 300))
	}
	return nil
}

// standbyEvery is how often standby looks whether a coordinator is needed.
const standbyEvery = 5 * time.Second

// standby serves while no other coordinator does, until ctx ends. It also takes over when
// a coordinator dies, but not when a person stopped it.
func (a *app) standby(ctx context.Context) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	c.Dirs.ForgetStopped()
	for {
		if !c.Dirs.Stopped() && !c.Answering() {
			if err := a.serve(ctx); err != nil && !errors.Is(err, errServed) {
				return err
			}
		}
		if pause(ctx, standbyEvery) != nil {
			return nil // told to end, as every service is
		}
	}
}

// login checks whether the coordinator starts at the person's login.
func (x exam) login() wire.Check {
	s, err := x.service()
	if err != nil {
		return off("login", err.Error(), "")
	}
	raw, err := os.ReadFile(s.file)
	switch {
	case err != nil:
		return off("login", "the coordinator starts with the first session or command, not with your login",
			"afar service on, if you want that")
	case string(raw) != s.text:
		return bad("login", s.file+" starts another Afar, or was changed", "afar service on writes it anew")
	}
	return ok("login", "the coordinator starts with your login")
}
