package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// machineTables are the programs that control the machine's services, accounts and
// settings.
var machineTables = []table{
	{programs: "loginctl", options: "H M s n o p host machine signal lines output property", rows: []row{
		{
			words: "terminate-user|kill-user|terminate-session|kill-session|terminate-seat",
			does:  act{effect.KillProcess, effect.Everything, afterVerb},
		},
		{words: "poweroff|reboot|halt|suspend|hibernate", does: act{effect.Power, byVerb, ""}},
	}},
	{programs: "service rc-service", options: serviceValues, anyCase: true, rows: []row{
		{words: "* " + stopVerbs, does: act{effect.StopService, bySecond, "$0"}},
		{words: "* " + modeVerbs, does: act{effect.Power, bySecond, "$0"}},
		{words: "* restart", also: restartsThere},
	}},
	{
		programs: "systemctl initctl supervisorctl launchctl sc brew-services pm2 monit sv svc net",
		options:  serviceValues,
		anyCase:  true,
		dry:      "dry-run",
		rows: []row{
			{
				of:    "launchctl",
				words: "load|bootstrap|submit",
				does:  act{effect.Persist, effect.LaunchAgent, afterVerb},
				also:  runsBehindDashes,
			},
			{of: "systemctl", words: "enable|link|edit", does: act{effect.Persist, effect.Service, afterVerb}},
			{of: "sc", words: "create", does: act{effect.Persist, effect.Service, afterVerb}},
			{of: "sv", words: "down|d|exit|x", does: act{effect.StopService, byVerb, afterVerb}},
			{words: stopVerbs, does: act{effect.StopService, byVerb, afterVerb}},
			{words: modeVerbs, does: act{effect.Power, byVerb, afterVerb}},
			{words: "restart|try-restart", without: "user", also: restartsThere},
			{
				of:    "systemctl launchctl",
				words: "poweroff|reboot|halt|suspend|hibernate|kexec",
				does:  act{effect.Power, byVerb, ""},
			},
		},
	},
	{programs: "ttyecho reptyr", rows: []row{{does: act{effect.TypeInto, "", theProgram}}}},
	{programs: "schtasks", anyCase: true, rows: []row{
		{mention: "/create /change", does: act{effect.Persist, effect.ScheduledTask, ""}},
		{mention: "/delete /end", does: act{effect.StopService, effect.ScheduledTask, ""}},
	}},
	{programs: "shutdown init telinit reboot halt poweroff", options: "t", dry: "help version show", rows: []row{
		{of: "shutdown", given: "c"},
		{of: "init telinit", words: "0|1|6|s|S", does: act{effect.Power, byProgram, ""}},
		{of: "init telinit"},
		{does: act{effect.Power, byProgram, ""}},
	}},
	{programs: "useradd userdel usermod groupdel adduser deluser passwd chpasswd gpasswd visudo chsh dscl " +
		"sysadminctl vipw", options: "s g G d u c p", dry: "S status help", rows: []row{
		{
			of:   "dscl",
			args: "-delete|-create|-append|-change|delete|create",
			does: act{effect.ChangeSystem, effect.Accounts, theProgram},
		},
		{of: "dscl"},
		{of: "visudo", given: "c"},
		{does: act{effect.ChangeSystem, effect.Accounts, theProgram}},
	}},
	{programs: "sysctl", options: "p f", rows: []row{
		{given: "w p", does: changesSystem},
		{mention: "=", does: changesSystem},
	}},
	{
		programs: "defaults",
		options:  "p f",
		rows:     []row{{words: "delete", does: changesSystem}},
	},
	{programs: "nixos-rebuild darwin-rebuild", options: "p f", rows: []row{
		{words: "switch|boot|test", does: changesSystem},
	}},
	{
		programs: "scutil",
		options:  "p f",
		rows:     []row{{given: "set", does: changesSystem}},
	},
	{
		programs: "spctl csrutil nvram systemsetup pmset timedatectl hostnamectl",
		options:  "p f",
		dry:      "status get g p print getremotelogin dns proxy nwi assess a",
		rows: []row{
			{bare: true},
			{words: "status|show"},
			{does: changesSystem},
		},
	},
	{
		programs: "reg",
		options:  "p f",
		anyCase:  true,
		rows:     []row{{words: "delete|add|import", does: changesSystem}},
	},
	{programs: "modprobe", options: "p f", dry: "n dry-run show-depends D c", rows: systemRows},
	{
		programs: "swapon ldconfig efibootmgr update-alternatives",
		options:  "p f",
		dry:      "s show p v display list query",
		rows: []row{
			{bare: true},
			{does: changesSystem},
		},
	},
	{programs: "rmmod insmod setenforce bcdedit grub-install update-grub", options: "p f", rows: systemRows},
	{programs: "security", options: "a s l", rows: []row{
		{words: "find-*", given: "w", also: showsKeychain},
		{words: "dump-keychain", given: "d", also: showsKeychain},
		{words: "export", also: showsKeychain},
		{
			words: "delete-*|add-trusted-cert|remove-trusted-cert|trust-settings-import|set-key-partition-list",
			does:  act{effect.ChangeSystem, effect.Keychain, "$0"},
		},
		{words: "authorizationdb read"},
		{words: "authorizationdb", does: act{effect.ChangeSystem, effect.Keychain, "$0"}},
	}},
	{programs: "history", options: "d", rows: []row{{
		given: "c",
		does:  act{effect.ChangeSystem, effect.HistoryCleared, ""},
	}}},
	{programs: "nginx haproxy apachectl httpd caddy pg_ctl mongod", options: "k D c f m t s", rows: []row{
		{words: "stop", does: stopsServer},
		{of: "haproxy", args: "-sf|-st", does: stopsServer},
		{given: "shutdown", does: stopsServer},
		{given: "s=stop s=quit k=stop k=graceful-stop m=fast m=immediate", does: stopsServer},
	}},
}

const (
	serviceValues = "t H M signal type state p n u"
	stopVerbs     = "stop|disable|mask|kill|delete|unload|bootout|remove|force-stop|shutdown"
	modeVerbs     = "isolate|emergency|rescue|default|set-default"
)

// systemRows are the rows of programs that always change the system.
var systemRows = []row{{does: changesSystem}}

// runsBehindDashes runs the command after "--".
func runsBehindDashes(sh *shell.Shell, c shell.Command, _ shell.Options) {
	sh.Exec(lex.After(c.Args, "--", 1), c.In)
}

// showsKeychain reports a keychain secret that is printed.
func showsKeychain(sh *shell.Shell, _ shell.Command, _ shell.Options) { showsKey(sh, "keychain", "") }

// restartsThere reports a service of another machine that restarts, where others use it.
func restartsThere(sh *shell.Shell, c shell.Command, _ shell.Options) {
	if sh.Place.Away == shell.RemotePlace().Away {
		sh.Effect(effect.StopService, effect.Named(c.Name), strings.Join(c.Args, " "))
	}
}
