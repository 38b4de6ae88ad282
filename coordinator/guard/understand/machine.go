package understand

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// machineTables are the programs that control the machine's services, accounts and
// settings.
var machineTables = []table{
	{programs: "loginctl", options: "H M s n o p host machine signal lines output property", rows: []row{
		{
			words:  "terminate-user|kill-user|terminate-session|kill-session|terminate-seat",
			kind:   effect.KillProcess,
			op:     effect.Everything,
			target: afterVerb,
		},
		{words: "poweroff|reboot|halt|suspend|hibernate", kind: effect.Power, op: byVerb},
	}},
	{programs: "service rc-service", options: serviceValues, anyCase: true, rows: []row{
		{words: "* " + stopVerbs, kind: effect.StopService, op: bySecond, target: "$0"},
		{words: "* " + modeVerbs, kind: effect.Power, op: bySecond, target: "$0"},
	}},
	{
		programs: "systemctl initctl supervisorctl launchctl sc brew-services pm2 monit sv svc net",
		options:  serviceValues,
		anyCase:  true,
		dry:      "dry-run",
		rows: []row{
			{
				of:     "launchctl",
				words:  "load|bootstrap|submit",
				kind:   effect.Persist,
				op:     effect.LaunchAgent,
				target: afterVerb,
				also:   runsBehindDashes,
			},
			{of: "systemctl", words: "enable|link|edit", kind: effect.Persist, op: effect.Service, target: afterVerb},
			{of: "sc", words: "create", kind: effect.Persist, op: effect.Service, target: afterVerb},
			{of: "sv", words: "down|d|exit|x", kind: effect.StopService, op: byVerb, target: afterVerb},
			{words: stopVerbs, kind: effect.StopService, op: byVerb, target: afterVerb},
			{words: modeVerbs, kind: effect.Power, op: byVerb, target: afterVerb},
			{
				of:    "systemctl launchctl",
				words: "poweroff|reboot|halt|suspend|hibernate|kexec",
				kind:  effect.Power,
				op:    byVerb,
			},
		},
	},
	{programs: "ttyecho reptyr", rows: []row{{kind: effect.TypeInto, target: theProgram}}},
	{programs: "schtasks", anyCase: true, rows: []row{
		{mention: "/create /change", kind: effect.Persist, op: effect.ScheduledTask},
		{mention: "/delete /end", kind: effect.StopService, op: effect.ScheduledTask},
	}},
	{programs: "shutdown init telinit reboot halt poweroff", options: "t", dry: "help version show", rows: []row{
		{of: "shutdown", given: "c"},
		{of: "init telinit", words: "0|1|6|s|S", kind: effect.Power, op: byProgram},
		{of: "init telinit"},
		{kind: effect.Power, op: byProgram},
	}},
	{programs: "useradd userdel usermod groupdel adduser deluser passwd chpasswd gpasswd visudo chsh dscl " +
		"sysadminctl vipw", options: "s g G d u c p", dry: "S status help", rows: []row{
		{
			of:     "dscl",
			args:   "-delete|-create|-append|-change|delete|create",
			kind:   effect.ChangeSystem,
			op:     effect.Accounts,
			target: theProgram,
		},
		{of: "dscl"},
		{of: "visudo", given: "c"},
		{kind: effect.ChangeSystem, op: effect.Accounts, target: theProgram},
	}},
	{programs: "sysctl", options: "p f", rows: []row{
		{given: "w p", kind: effect.ChangeSystem, op: byProgram, target: operands},
		{mention: "=", kind: effect.ChangeSystem, op: byProgram, target: operands},
	}},
	{
		programs: "defaults",
		options:  "p f",
		rows:     []row{{words: "delete", kind: effect.ChangeSystem, op: byProgram, target: operands}},
	},
	{programs: "nixos-rebuild darwin-rebuild", options: "p f", rows: []row{
		{words: "switch|boot|test", kind: effect.ChangeSystem, op: byProgram, target: operands},
	}},
	{
		programs: "scutil",
		options:  "p f",
		rows:     []row{{given: "set", kind: effect.ChangeSystem, op: byProgram, target: operands}},
	},
	{
		programs: "spctl csrutil nvram systemsetup pmset timedatectl hostnamectl",
		options:  "p f",
		dry:      "status get g p print getremotelogin dns proxy nwi assess a",
		rows: []row{
			{bare: true},
			{words: "status|show"},
			{words: "-g*"},
			{kind: effect.ChangeSystem, op: byProgram, target: operands},
		},
	},
	{
		programs: "reg",
		options:  "p f",
		anyCase:  true,
		rows:     []row{{words: "delete|add|import", kind: effect.ChangeSystem, op: byProgram, target: operands}},
	},
	{programs: "modprobe", options: "p f", dry: "n dry-run show-depends D c", rows: systemRows},
	{
		programs: "swapon ldconfig efibootmgr update-alternatives",
		options:  "p f",
		dry:      "s show p v display list query",
		rows: []row{
			{bare: true},
			{kind: effect.ChangeSystem, op: byProgram, target: operands},
		},
	},
	{programs: "rmmod insmod setenforce bcdedit grub-install update-grub", options: "p f", rows: systemRows},
	{programs: "security", options: "a s l", rows: []row{
		{words: "find-*", given: "w", also: showsKeychain},
		{words: "dump-keychain", given: "d", also: showsKeychain},
		{words: "export", also: showsKeychain},
		{
			words:  "delete-*|add-trusted-cert|remove-trusted-cert|trust-settings-import|set-key-partition-list",
			kind:   effect.ChangeSystem,
			op:     effect.Keychain,
			target: "$0",
		},
		{words: "authorizationdb read"},
		{words: "authorizationdb", kind: effect.ChangeSystem, op: effect.Keychain, target: "$0"},
	}},
	{programs: "history", options: "d", rows: []row{{given: "c", kind: effect.ChangeSystem, op: effect.HistoryCleared}}},
	{programs: "nginx haproxy apachectl httpd caddy pg_ctl mongod", options: "k D c f m t s", rows: []row{
		{words: "stop", kind: effect.StopService, op: effect.Server, target: theProgram},
		{of: "haproxy", args: "-sf|-st", kind: effect.StopService, op: effect.Server, target: theProgram},
		{given: "shutdown", kind: effect.StopService, op: effect.Server, target: theProgram},
		{given: "s k m", also: signalled},
	}},
}

const (
	serviceValues = "t H M signal type state p n u"
	stopVerbs     = "stop|disable|mask|kill|delete|unload|bootout|remove|force-stop|shutdown"
	modeVerbs     = "isolate|emergency|rescue|default|set-default"
)

// systemRows are the rows of programs that always change the system.
var systemRows = []row{{kind: effect.ChangeSystem, op: byProgram, target: operands}}

// runsBehindDashes runs the command after "--".
func runsBehindDashes(sh *shell.Shell, c shell.Command, _ shell.Options) {
	sh.Exec(lex.After(c.Args, "--", 1), c.In)
}

// showsKeychain reports a keychain secret that is printed.
func showsKeychain(sh *shell.Shell, _ shell.Command, _ shell.Options) { showsKey(sh, "keychain", "") }

// signalled reports a server that an option tells to stop.
func signalled(sh *shell.Shell, c shell.Command, o shell.Options) {
	signal, _ := o.Get("s", "k", "m")
	if lex.OneOf(signal, "stop quit graceful-stop fast immediate") {
		sh.Effect(effect.StopService, effect.Server, c.Name)
	}
}
