// Package service describes how the system starts the coordinator at the person's login. It starts nothing.
package service

import (
	"fmt"
	"html"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
)

// A Service describes how a system starts a program at login.
type Service struct {
	File    string // that describes it
	Text    string
	Old     [][]string // programs that end an older one; they fail if there is none
	On, Off [][]string // programs that put it to work, and end it
}

// Of returns the login service of this system for a home. program is the coordinator's; config is
// the variable XDG_CONFIG_HOME.
func Of(d home.Dirs, program, config string) (Service, error) {
	switch runtime.GOOS {
	case "linux":
		return systemd(d, program, config), nil
	case "darwin":
		return launchd(d, program, os.Getuid()), nil
	}
	return Service{}, fmt.Errorf("a login service is not supported on %s", runtime.GOOS)
}

// EndsAtLogout says that the service ends when the person logs out, "" if it does not.
func EndsAtLogout() string {
	me, err := user.Current()
	if err != nil || runtime.GOOS != "linux" {
		return ""
	}
	if _, err := os.Stat(filepath.Join(lingering, me.Username)); err == nil {
		return ""
	}
	return "It ends when you log out, and runs with it. `loginctl enable-linger` keeps it."
}

// lingering is the directory in which systemd notes whose services stay after the logout.
const lingering = "/var/lib/systemd/linger"

const unitName = "afar.service"

// unitEnd is the end of the unit. Turns of runs are processes of their own: they survive the
// death of the coordinator, and one that runs out of memory does not end it. Agents start
// compilers, debuggers and sandboxes, so nothing is hidden from them.
const unitEnd = `Restart=on-failure
RestartSec=30
# Agents go on when the coordinator dies, and an agent without memory does not end it.
KillMode=process
OOMPolicy=continue
# No agent becomes root: sudo and rootless containers do not work in runs.
NoNewPrivileges=yes
RestrictRealtime=yes
# No secrets in core dumps, unless a program asks for one.
LimitCORE=0:infinity

[Install]
WantedBy=default.target
`

func systemd(d home.Dirs, program, config string) Service {
	if !filepath.IsAbs(config) {
		config = filepath.Join(d.User, ".config")
	}
	var b strings.Builder
	b.WriteString("# Written by `afar install-service`, removed by `afar install-service --remove`.\n" +
		"[Unit]\nDescription=Afar: asks you on the phone what your sessions want to know\n\n[Service]\n")
	for _, v := range d.Env() {
		fmt.Fprintf(&b, "Environment=%s\n", unitQuote(v))
	}
	fmt.Fprintf(&b, "ExecStart=%s serve --standby\n", unitQuote(program))
	b.WriteString(unitEnd)
	return Service{
		File: filepath.Join(config, "systemd", "user", unitName),
		Text: b.String(),
		On: [][]string{
			{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", unitName},
			{"systemctl", "--user", "restart", unitName}, // a unit that was there may be of another folder
		},
		Off: [][]string{{"systemctl", "--user", "disable", "--now", unitName}},
	}
}

// unitQuote quotes a word for a unit file.
func unitQuote(word string) string { return strings.ReplaceAll(strconv.Quote(word), "%", "%%") }

const agentName = "sh.afar.coordinator"

// launchd returns the launchd agent of a user. AbandonProcessGroup lets the turns of runs go on
// when the coordinator dies. Without a ProcessType the agents get the usual share of the processor.
func launchd(d home.Dirs, program string, uid int) Service {
	var env strings.Builder
	for _, v := range d.Env() {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&env, "    <key>%s</key><string>%s</string>\n", xmlText(name), xmlText(value))
	}
	file := filepath.Join(d.User, "Library", "LaunchAgents", agentName+".plist")
	domain := "gui/" + strconv.Itoa(uid)
	return Service{
		File: file,
		Text: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by "afar install-service". "afar install-service" with "remove" takes it away. -->
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
  <key>AbandonProcessGroup</key><true/>
  <key>SoftResourceLimits</key><dict><key>Core</key><integer>0</integer></dict>
</dict>
</plist>
`,
		Old: [][]string{{"launchctl", "bootout", domain + "/" + agentName}},
		On:  [][]string{{"launchctl", "bootstrap", domain, file}},
		Off: [][]string{{"launchctl", "bootout", domain + "/" + agentName}},
	}
}

func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

var (
	unitPath  = regexp.MustCompile(`(?m)^Environment=("PATH=.*")$`)
	agentPath = regexp.MustCompile(`<key>PATH</key><string>(.*)</string>`)
)

// Path returns the PATH in the text of a service, "" if it has none.
func Path(text string) string {
	if m := unitPath.FindStringSubmatch(text); m != nil {
		entry, _ := strconv.Unquote(strings.ReplaceAll(m[1], "%%", "%")) // "" if somebody changed it
		return strings.TrimPrefix(entry, "PATH=")
	}
	if m := agentPath.FindStringSubmatch(text); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}
