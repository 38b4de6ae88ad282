package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

func serviceRow(name string) row {
	switch name {
	case "loginctl":
		return logins
	case "systemctl", "service", "rc-service", "initctl", "supervisorctl", "launchctl", "sc", "brew-services", "pm2", "monit", "sv", "svc", "net":
		return service
	case "kill", "killall", "pkill", "skill", "xkill", "taskkill", "killall5":
		return killProcess
	case "pgrep", "pidof", "ps", "lsof", "fuser":
		return processList
	case "ttyecho", "reptyr":
		return func(sh *shell.Shell, c shell.Command) { sh.Effect(effect.TypeInto, "", c.Name) }
	case "nginx", "haproxy", "apachectl", "httpd", "caddy", "pg_ctl", "mongod":
		return daemon
	case "java":
		return func(sh *shell.Shell, c shell.Command) {
			if o := shell.ParseOptions(c.Args, "jar cp classpath"); len(o.All("jar")) > 0 {
				jar := strings.TrimSuffix(o.All("jar")[0], ".jar")
				sh.Exec(append([]string{jar}, lex.After(c.Args, "-jar", 2)...), c.In)
			}
		}
	case "schtasks":
		return func(sh *shell.Shell, c shell.Command) {
			switch low := strings.ToLower(strings.Join(c.Args, " ")); {
			case strings.Contains(low, "/create"), strings.Contains(low, "/change"):
				sh.Effect(effect.Persist, effect.ScheduledTask, "")
			case strings.Contains(low, "/delete"), strings.Contains(low, "/end"):
				sh.Effect(effect.StopService, effect.ScheduledTask, "")
			}
		}
	case "shutdown", "reboot", "halt", "poweroff", "init", "telinit":
		return power
	case "useradd", "userdel", "usermod", "groupdel", "adduser", "deluser", "passwd", "chpasswd", "gpasswd", "visudo", "chsh", "dscl", "sysadminctl", "vipw":
		return accounts
	case "sysctl", "modprobe", "rmmod", "insmod", "setenforce", "spctl", "csrutil", "nvram", "defaults", "systemsetup", "update-alternatives", "ldconfig", "timedatectl", "hostnamectl", "swapon", "bcdedit", "reg", "scutil", "pmset", "grub-install", "update-grub", "efibootmgr", "nixos-rebuild", "darwin-rebuild":
		return system
	case "security":
		return func(sh *shell.Shell, c shell.Command) {
			switch o := shell.ParseOptions(c.Args, "a s l"); {
			case strings.HasPrefix(o.At(0), "find-") && o.Short('w'), o.At(0) == "dump-keychain" && o.Short('d'), o.At(0) == "export":
				if sh.Out == nil {
					sh.Effect(effect.RevealSecret, effect.Keychain, "")
				}
				sh.Print(partial.UnknownKey)
			case strings.HasPrefix(o.At(0), "delete-"), lex.OneOf(o.At(0), "add-trusted-cert remove-trusted-cert trust-settings-import set-key-partition-list"),
				o.At(0) == "authorizationdb" && o.At(1) != "read":
				sh.Effect(effect.ChangeSystem, effect.Keychain, o.At(0))
			}
		}
	case "history":
		return func(sh *shell.Shell, c shell.Command) {
			if shell.ParseOptions(c.Args, "d").Short('c') {
				sh.Effect(effect.ChangeSystem, effect.HistoryCleared, "")
			}
		}
	}
	return nil
}

func service(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t H M signal type state p n u")
	verb, name := o.At(0), strings.Join(o.Pos[min(1, len(o.Pos)):], " ")
	if lex.OneOf(c.Name, "service rc-service") {
		verb, name = o.At(1), o.At(0)
	}
	switch {
	case c.Name == "launchctl" && lex.OneOf(verb, "load bootstrap submit"):
		sh.Effect(effect.Persist, effect.LaunchAgent, name)
		sh.Exec(lex.After(c.Args, "--", 1), nil)
	case c.Name == "systemctl" && lex.OneOf(verb, "enable link edit"), c.Name == "sc" && verb == "create":
		sh.Effect(effect.Persist, effect.Service, name)
	case c.Name == "sv" && lex.OneOf(verb, "down d exit x"):
		sh.Effect(effect.StopService, effect.Named(verb), name)
	}
	switch strings.ToLower(verb) {
	case "stop", "disable", "mask", "kill", "delete", "unload", "bootout", "remove", "force-stop", "shutdown":
		sh.Effect(effect.StopService, effect.Named(verb), name)
	case "isolate", "emergency", "rescue", "default", "set-default":
		sh.Effect(effect.Power, effect.Named(verb), name)
	case "poweroff", "reboot", "halt", "suspend", "hibernate", "kexec":
		if lex.OneOf(c.Name, "systemctl launchctl") {
			sh.Effect(effect.Power, effect.Named(verb), "")
		}
	}
}

// daemon is the row of servers that are told to end by their own program.
func daemon(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "s k D c f m t")
	sig, _ := o.Get("s", "k", "m")
	switch {
	case lex.OneOf(sig, "stop quit graceful-stop fast immediate"), lex.OneOf(o.At(0), "stop"), c.Name == "haproxy" && lex.ContainsAny(c.Args, "-sf -st"), o.Exact("shutdown"):
		sh.Effect(effect.StopService, effect.Server, c.Name)
	}
}

func killProcess(sh *shell.Shell, c shell.Command) {
	switch c.Name {
	case "kill":
		if len(c.Args) > 0 && lex.OneOf(c.Args[0], "-l -L -0") || len(c.Args) > 1 && c.Args[0] == "-s" && c.Args[1] == "0" {
			return
		}
		killPids(sh, c.Args)
	default:
		o := shell.ParseOptions(c.Args, "u U g G s t P signal user group parent terminal")
		if o.Exact("l", "list", "V") {
			return
		}
		user, _ := o.Get("u", "U", "user")
		op := effect.ByName
		if c.Name == "killall5" {
			op = effect.Everything
		}
		if user != "" && len(o.Pos) == 0 {
			op = effect.Everything
		}
		for _, p := range o.Pos {
			if c.Name == "pkill" && o.Short('f') {
				op = effect.ByPattern
			}
			sh.Effect(effect.KillProcess, op, p)
		}
		if len(o.Pos) == 0 {
			sh.Effect(effect.KillProcess, op, user)
		}
	}
}

func killPids(sh *shell.Shell, args []string) {
	for i, a := range args {
		switch {
		case i == 0 && len(a) > 1 && a[0] == '-' && !(a == "-1" && len(args) == 1):
			if lex.OneOf(a, "-s -n") {
				args[i+min(1, len(args)-1-i)] = ""
			}
		case a == "" || a == "--":
		case lex.OneOf(a, "-1 1 0"):
			sh.Effect(effect.KillProcess, effect.Everything, a)
		case strings.HasPrefix(a, "pid:"):
			sh.Effect(effect.KillProcess, effect.Found, a)
		default:
			sh.Effect(effect.KillProcess, effect.ByPID, a)
		}
	}
}

// processList prints a mark of what it looked for, so that "kill $(pgrep x)"
// still names x.
func processList(sh *shell.Shell, c shell.Command) {
	if sh.Out == nil && c.Name != "fuser" {
		return
	}
	o := shell.ParseOptions(c.Args, "u U g t P o C p i")
	switch c.Name {
	case "fuser":
		if o.Short('k') {
			sh.Effect(effect.KillProcess, effect.ByFile, strings.Join(o.Pos, " "))
		}
	case "pgrep", "pidof":
		sh.Print("pid:" + strings.Join(o.Pos, ",") + "\n")
	case "ps":
		sh.Print("pid:" + partial.Unknown + "\n")
	case "lsof":
		for _, p := range shell.ParseOptions(c.Args, "u g p i c d F").Pos {
			if sh.IsOwn(sh.Path(p)) {
				sh.Print("pid:afar\n")
			}
		}
		sh.Print(partial.Unknown)
	default:
		sh.Print(partial.Unknown)
	}
}

func power(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t")
	if c.Name == "shutdown" && (o.Exact("c", "help")) || (lex.OneOf(c.Name, "init telinit")) && !lex.OneOf(o.At(0), "0 1 6 s S") {
		return
	}
	if o.Exact("help", "version") {
		return
	}
	sh.Effect(effect.Power, effect.Named(c.Name), "")
}

func accounts(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "s g G d u c p")
	if c.Name == "dscl" && !lex.ContainsAny(c.Args, "-delete -create -append -change delete create") || o.Exact("S", "status", "help") || c.Name == "visudo" && o.Short('c') {
		return
	}
	sh.Effect(effect.ChangeSystem, effect.Accounts, c.Name)
}

func system(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "p f")
	switch c.Name {
	case "sysctl":
		if !o.Short('w') && !o.Short('p') && !strings.Contains(strings.Join(c.Args, " "), "=") {
			return
		}
	case "defaults":
		if !lex.OneOf(o.At(0), "delete") {
			return
		}
	case "nixos-rebuild", "darwin-rebuild":
		if !lex.OneOf(o.At(0), "switch boot test") {
			return
		}
	case "scutil":
		if !o.Exact("set") {
			return
		}
	case "spctl", "csrutil", "nvram", "systemsetup", "pmset", "timedatectl", "hostnamectl":
		if o.Exact("status", "get", "g", "p", "print", "getremotelogin", "dns", "proxy", "nwi", "assess", "a") || len(c.Args) == 0 || lex.OneOf(o.At(0), "status show") || strings.HasPrefix(strings.Join(c.Args, " "), "-g") {
			return
		}
	case "reg":
		if !lex.OneOf(strings.ToLower(o.At(0)), "delete add import") {
			return
		}
	case "modprobe":
		if o.Exact("n", "dry-run", "show-depends", "D", "c") {
			return
		}
	case "swapon", "ldconfig", "efibootmgr", "update-alternatives":
		if len(c.Args) == 0 || o.Exact("s", "show", "p", "v", "display", "list", "query") {
			return
		}
	}
	sh.Effect(effect.ChangeSystem, effect.Named(c.Name), strings.Join(o.Pos, " "))
}

// logins ends every process of a session or of a user.
func logins(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "H M s n o p host machine signal lines output property")
	switch verb := o.At(0); {
	case lex.OneOf(verb, "terminate-user kill-user terminate-session kill-session terminate-seat"):
		sh.Effect(effect.KillProcess, effect.Everything, strings.Join(o.Pos[1:], " "))
	case lex.OneOf(verb, "poweroff reboot halt suspend hibernate"):
		sh.Effect(effect.Power, effect.Named(verb), "")
	}
}
