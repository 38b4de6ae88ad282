package guard

import "strings"

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
		return func(sh *shell, c command) { sh.effect(TypeInto, "", c.name) }
	case "nginx", "haproxy", "apachectl", "httpd", "caddy", "pg_ctl", "mongod":
		return daemon
	case "java":
		return func(sh *shell, c command) {
			if o := parseOptions(c.args, "jar cp classpath"); len(o.all("jar")) > 0 {
				jar := strings.TrimSuffix(o.all("jar")[0], ".jar")
				sh.exec(append([]string{jar}, after(c.args, "-jar", 2)...), c.in)
			}
		}
	case "schtasks":
		return func(sh *shell, c command) {
			switch low := strings.ToLower(strings.Join(c.args, " ")); {
			case strings.Contains(low, "/create"), strings.Contains(low, "/change"):
				sh.effect(Persist, "scheduled task", "")
			case strings.Contains(low, "/delete"), strings.Contains(low, "/end"):
				sh.effect(StopService, "scheduled task", "")
			}
		}
	case "shutdown", "reboot", "halt", "poweroff", "init", "telinit":
		return power
	case "useradd", "userdel", "usermod", "groupdel", "adduser", "deluser", "passwd", "chpasswd", "gpasswd", "visudo", "chsh", "dscl", "sysadminctl", "vipw":
		return accounts
	case "sysctl", "modprobe", "rmmod", "insmod", "setenforce", "spctl", "csrutil", "nvram", "defaults", "systemsetup", "update-alternatives", "ldconfig", "timedatectl", "hostnamectl", "swapon", "bcdedit", "reg", "scutil", "pmset", "grub-install", "update-grub", "efibootmgr", "nixos-rebuild", "darwin-rebuild":
		return system
	case "security":
		return func(sh *shell, c command) {
			switch o := parseOptions(c.args, "a s l"); {
			case strings.HasPrefix(o.at(0), "find-") && o.short('w'), o.at(0) == "dump-keychain" && o.short('d'), o.at(0) == "export":
				if sh.out == nil {
					sh.effect(RevealSecret, "keychain", "")
				}
				sh.print(unknownKey)
			case strings.HasPrefix(o.at(0), "delete-"), oneOf(o.at(0), "add-trusted-cert remove-trusted-cert trust-settings-import set-key-partition-list"),
				o.at(0) == "authorizationdb" && o.at(1) != "read":
				sh.effect(ChangeSystem, "keychain", o.at(0))
			}
		}
	case "history":
		return func(sh *shell, c command) {
			if parseOptions(c.args, "d").short('c') {
				sh.effect(ChangeSystem, "history cleared", "")
			}
		}
	}
	return nil
}

func service(sh *shell, c command) {
	o := parseOptions(c.args, "t H M signal type state p n u")
	verb, name := o.at(0), strings.Join(o.pos[min(1, len(o.pos)):], " ")
	if c.name == "service" || c.name == "rc-service" {
		verb, name = o.at(1), o.at(0)
	}
	switch {
	case c.name == "launchctl" && oneOf(verb, "load bootstrap submit"):
		sh.effect(Persist, "launch agent", name)
		sh.exec(after(c.args, "--", 1), nil)
	case c.name == "systemctl" && oneOf(verb, "enable link edit"), c.name == "sc" && verb == "create":
		sh.effect(Persist, "service", name)
	case c.name == "sv" && oneOf(verb, "down d exit x"):
		sh.effect(StopService, verb, name)
	}
	switch strings.ToLower(verb) {
	case "stop", "disable", "mask", "kill", "delete", "unload", "bootout", "remove", "force-stop", "shutdown":
		sh.effect(StopService, verb, name)
	case "isolate", "emergency", "rescue", "default", "set-default":
		sh.effect(Power, verb, name)
	case "poweroff", "reboot", "halt", "suspend", "hibernate", "kexec":
		if oneOf(c.name, "systemctl launchctl") {
			sh.effect(Power, verb, "")
		}
	}
}

// daemon is the row of servers that are told to end by their own program.
func daemon(sh *shell, c command) {
	o := parseOptions(c.args, "s k D c f m t")
	sig, _ := o.get("s", "k", "m")
	switch {
	case oneOf(sig, "stop quit graceful-stop fast immediate"), oneOf(o.at(0), "stop"), c.name == "haproxy" && containsAny(c.args, "-sf -st"), o.exact("shutdown"):
		sh.effect(StopService, "server", c.name)
	}
}

// after returns the arguments n places behind the first occurrence of mark.
func after(args []string, mark string, n int) []string {
	for i, a := range args {
		if a == mark {
			return args[min(len(args), i+n):]
		}
	}
	return nil
}

func killProcess(sh *shell, c command) {
	switch c.name {
	case "kill":
		if len(c.args) > 0 && oneOf(c.args[0], "-l -L -0") || len(c.args) > 1 && c.args[0] == "-s" && c.args[1] == "0" {
			return
		}
		sh.killPids(c.args)
	default:
		o := parseOptions(c.args, "u U g G s t P signal user group parent terminal")
		if o.exact("l", "list", "V") {
			return
		}
		user, _ := o.get("u", "U", "user")
		op := "by name"
		if c.name == "killall5" {
			op = "all"
		}
		if user != "" && len(o.pos) == 0 {
			op = "all"
		}
		for _, p := range o.pos {
			if c.name == "pkill" && o.short('f') {
				op = "by pattern"
			}
			sh.effect(KillProcess, op, p)
		}
		if len(o.pos) == 0 {
			sh.effect(KillProcess, op, user)
		}
	}
}

func (sh *shell) killPids(args []string) {
	for i, a := range args {
		switch {
		case i == 0 && len(a) > 1 && a[0] == '-' && !(a == "-1" && len(args) == 1):
			if a == "-s" || a == "-n" {
				args[i+min(1, len(args)-1-i)] = ""
			}
		case a == "" || a == "--":
		case a == "-1" || a == "1" || a == "0":
			sh.effect(KillProcess, "all", a)
		case strings.HasPrefix(a, "pid:"):
			sh.effect(KillProcess, "found", a)
		default:
			sh.effect(KillProcess, "pid", a)
		}
	}
}

// processList prints a mark of what it looked for, so that "kill $(pgrep x)"
// still names x.
func processList(sh *shell, c command) {
	if sh.out == nil && c.name != "fuser" {
		return
	}
	o := parseOptions(c.args, "u U g t P o C p i")
	switch c.name {
	case "fuser":
		if o.short('k') {
			sh.effect(KillProcess, "by file", strings.Join(o.pos, " "))
		}
	case "pgrep", "pidof":
		sh.print("pid:" + strings.Join(o.pos, ",") + "\n")
	case "ps":
		sh.print("pid:" + unknown + "\n")
	case "lsof":
		for _, p := range parseOptions(c.args, "u g p i c d F").pos {
			if sh.isOwn(sh.path(p)) {
				sh.print("pid:afar\n")
			}
		}
		sh.print(unknown)
	default:
		sh.print(unknown)
	}
}

func power(sh *shell, c command) {
	o := parseOptions(c.args, "t")
	if c.name == "shutdown" && (o.short('c') || o.exact("help")) || (c.name == "init" || c.name == "telinit") && !oneOf(o.at(0), "0 1 6 s S") {
		return
	}
	if o.exact("help", "version") {
		return
	}
	sh.effect(Power, c.name, "")
}

func accounts(sh *shell, c command) {
	o := parseOptions(c.args, "s g G d u c p")
	if c.name == "dscl" && !containsAny(c.args, "-delete -create -append -change delete create") || o.exact("S", "status", "help") || c.name == "visudo" && o.short('c') {
		return
	}
	sh.effect(ChangeSystem, "accounts", c.name)
}

func system(sh *shell, c command) {
	o := parseOptions(c.args, "p f")
	switch c.name {
	case "sysctl":
		if !o.short('w') && !o.short('p') && !strings.Contains(strings.Join(c.args, " "), "=") {
			return
		}
	case "defaults":
		if !oneOf(o.at(0), "delete") {
			return
		}
	case "nixos-rebuild", "darwin-rebuild":
		if !oneOf(o.at(0), "switch boot test") {
			return
		}
	case "scutil":
		if !o.exact("set") {
			return
		}
	case "spctl", "csrutil", "nvram", "systemsetup", "pmset", "timedatectl", "hostnamectl":
		if o.exact("status", "get", "g", "p", "print", "getremotelogin") || len(c.args) == 0 || oneOf(o.at(0), "status show") || strings.HasPrefix(strings.Join(c.args, " "), "-g") || o.exact("dns", "proxy", "nwi", "assess", "a") {
			return
		}
	case "reg":
		if !oneOf(strings.ToLower(o.at(0)), "delete add import") {
			return
		}
	case "modprobe":
		if o.exact("n", "dry-run", "show-depends", "D", "c") {
			return
		}
	case "swapon", "ldconfig", "efibootmgr", "update-alternatives":
		if len(c.args) == 0 || o.exact("s", "show", "p", "v", "display", "list", "query") {
			return
		}
	}
	sh.effect(ChangeSystem, c.name, strings.Join(o.pos, " "))
}

// logins ends every process of a session or of a user.
func logins(sh *shell, c command) {
	o := parseOptions(c.args, "H M s n o p host machine signal lines output property")
	switch verb := o.at(0); {
	case oneOf(verb, "terminate-user kill-user terminate-session kill-session terminate-seat"):
		sh.effect(KillProcess, "all", strings.Join(o.pos[1:], " "))
	case oneOf(verb, "poweroff reboot halt suspend hibernate"):
		sh.effect(Power, verb, "")
	}
}
