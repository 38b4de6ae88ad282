package guard

import "strings"

func publishRow(name string) row {
	switch name {
	case "npm", "pnpm", "yarn", "bun":
		return nodePackages
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		return packageRunner
	case "cargo":
		return cargo
	case "gem":
		return verbs("push yank owner", PublishOut, "uninstall")
	case "twine":
		return verbs("upload register", PublishOut, "")
	case "mvn", "gradle", "gradlew", "mvnw", "sbt":
		return verbs("deploy publish publishToMavenCentral publishPlugins publishSigned release:perform", PublishOut, "")
	case "dotnet", "nuget":
		return func(sh *shell, c command) {
			if containsAny(c.args, "push delete") && containsAny(append(c.args, c.name), "nuget") {
				sh.effect(PublishOut, c.name, "registry")
			}
		}
	case "vsce", "ovsx", "jsr", "changeset", "semantic-release", "goreleaser", "release-it", "np", "flit", "melos", "pod", "dart", "flutter", "hex", "luarocks", "clojars", "wapm", "expo", "eas", "fastlane", "lein", "clojure", "snapcraft", "huggingface-cli", "hf", "skopeo", "crane", "regctl", "buildah", "oras":
		return func(sh *shell, c command) {
			if containsAny(c.args, "publish release push upload submit unpublish trunk deploy") || oneOf(c.name, "semantic-release np release-it") || oneOf(c.name, "skopeo crane regctl") && containsAny(c.args, "copy sync") {
				if !containsAny(c.args, "--dry-run --snapshot --skip-publish") {
					sh.effect(PublishOut, c.name, "registry")
				}
			}
		}
	}
	return placePublisher(name)
}

// placePublisher holds the tools that make something reachable for others.
func placePublisher(name string) row {
	switch name {
	case "surge", "gh-pages", "cpan-upload":
		return func(sh *shell, c command) {
			if !containsAny(c.args, "login logout whoami list teardown token --help") {
				sh.effect(PublishOut, c.name, "site")
			}
			if controls(c.name) {
				sh.remoteControl(c)
			}
		}
	case "cloudflared", "tailscale", "kaggle":
		return func(sh *shell, c command) {
			if containsAny(c.args, "--url funnel") || first(c.args) == "tunnel" && containsString(c.args, "run") || c.name == "kaggle" && containsAny(c.args, "create version submit") {
				sh.effect(PublishOut, c.name, "to others")
			}
			if controls(c.name) {
				sh.remoteControl(c)
			}
		}
	}
	return nil
}

// verbs is the row of a tool with publishing and removing verbs. It stays out of
// line: each copy is loaded with every hook.
//
//go:noinline
func verbs(list string, kind Kind, removing string) row {
	return func(sh *shell, c command) {
		o := parseOptions(c.args, "p package manifest-path repository registry target features k Z config color")
		if o.exact("dry-run", "help") || o.at(0) == "owner" && !o.exact("add", "a", "remove", "r") && len(o.pos) < 3 && c.name == "cargo" {
			return
		}
		if len(o.pos) > 0 && strings.HasPrefix(o.pos[0], "+") {
			o.pos = o.pos[1:]
		}
		for _, p := range o.pos {
			verb := p[strings.LastIndexByte(p, ':')+1:]
			if oneOf(p, list) || oneOf(verb, list) && !oneOf(verb, "owner push") {
				sh.effect(kind, c.name, "registry")
				return
			}
			if oneOf(p, removing) {
				sh.effect(RemovePackage, c.name, p)
				return
			}
			if c.name == "cargo" || c.name == "gem" {
				return
			}
		}
	}
}

func cargo(sh *shell, c command) {
	if first(c.args) != "watch" {
		verbs("publish yank owner release", PublishOut, "")(sh, c)
		return
	}
	for _, code := range parseOptions(c.args[1:], "s shell x exec w i d").all("s", "shell") {
		sh.runText(code)
	}
	sh.exec(after(c.args, "--", 1), c.in)
}

func nodePackages(sh *shell, c command) {
	o := parseOptions(c.args, "w workspace prefix C dir tag otp registry cwd filter F")
	verb := o.at(0)
	if verb == "npm" || c.name == "yarn" && verb == "workspace" {
		o.pos = o.pos[min(len(o.pos), map[bool]int{true: 1, false: 2}[verb == "npm"]):]
		verb = o.at(0)
	}
	global := o.short('g') || o.exact("global", "location") || verb == "global"
	switch verb {
	case "pkg":
		for _, kv := range o.pos {
			if key, code, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(key, "scripts.") {
				sh.run(code, nil)
			}
		}
	case "run", "run-script", "test", "start":
		name := o.at(1)
		if oneOf(verb, "test start") {
			name = verb
		}
		toks := tokens(sh.files[sh.path("package.json")], "js")
		for i := 0; i+2 < len(toks); i++ {
			if toks[i].kind == 's' && toks[i].text == name && toks[i+1].kind == ':' && toks[i+2].kind == 's' {
				sh.runText(toks[i+2].text)
			}
		}
	case "publish":
		if !o.exact("dry-run") {
			sh.effect(PublishOut, c.name, "registry")
		}
	case "unpublish", "deprecate", "owner", "access", "dist-tag", "star", "token", "team", "org", "hook", "profile":
		if !oneOf(o.at(1), "ls list get") {
			sh.effect(PublishOut, c.name, verb)
		}
	case "uninstall", "remove", "rm", "un", "unlink":
		if global {
			sh.effect(RemovePackage, c.name, "global")
		}
	case "cache":
		if oneOf(o.at(1), "clean rm") && o.exact("force") {
			sh.effect(PruneLocal, "cache", c.name)
		}
	case "exec", "dlx", "x":
		inner := after(c.args, verb, 1)
		if len(inner) == 1 && strings.Contains(inner[0], " ") {
			sh.runText(inner[0]) // yarn has a shell of its own
			return
		}
		packageRunner(sh, command{name: c.name, args: inner, in: c.in})
	case "config", "c", "get":
		if asked := o.at(len(o.pos) - 1); containsString(o.pos, "get") && registrySecret(asked) {
			sh.showsKey("registry token", asked)
			return
		}
		fallthrough
	case "set":
		if o.at(1) == "set" && hasWord(verbWords(strings.Join(o.pos, " ")), "registry script") {
			sh.effect(ChangeSystem, c.name, "settings")
		}
	case "audit":
		if o.at(1) == "fix" && o.exact("force") {
			sh.effect(RemovePackage, c.name, "major updates")
		}
	default:
		sh.packageProgram(c, verb)
	}
}

// registrySecret is true of the settings that a package manager signs in with.
func registrySecret(key string) bool {
	key = key[strings.LastIndexByte(key, ':')+1:]
	return oneOf(strings.ToLower(key), "_auth npmauthident") || secretName(key)
}

// packageProgram runs what is no verb of the package manager's own: a script of
// the project, or the program of one of its packages. Only yarn, pnpm and bun
// look for those.
func (sh *shell) packageProgram(c command, verb string) {
	if c.name == "npm" || verb == "" || oneOf(verb, "install i ci add link ln env init create why ls ll list node set search import patch bin root import view info up update upgrade prune dedupe fetch version help store setup server deploy") {
		return
	}
	sh.exec(append([]string{verb}, after(c.args, verb, 1)...), c.in)
}

// packageRunner runs a tool of a package: its row is judged as if installed.
func packageRunner(sh *shell, c command) {
	o, rest := leading(c.args, "p package c call from with python")
	if code, ok := o.get("c", "call"); ok {
		sh.run(code, nil)
		return
	}
	if c.name == "pipx" && len(rest) > 0 {
		if rest[0] != "run" {
			return
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	argv := append([]string{}, rest...)
	if strings.Contains(argv[0], "://") {
		sh.effect(RunUnknown, "network", argv[0])
		return
	}
	if i := strings.LastIndexByte(argv[0], '@'); i > 0 {
		argv[0] = argv[0][:i]
	}
	sh.exec(argv, c.in)
}

func packageRow(name string) row {
	switch name {
	case "apt", "apt-get", "aptitude", "yum", "dnf", "zypper", "pacman", "apk", "brew", "port", "snap", "flatpak", "dpkg", "rpm", "emerge", "xbps-remove", "pkg", "choco", "winget", "scoop", "nix-env", "nix-collect-garbage":
		return systemPackages
	case "pip", "pip3":
		return func(sh *shell, c command) {
			o := parseOptions(c.args, "r i index-url extra-index-url target t")
			if o.at(0) == "uninstall" {
				sh.effect(RemovePackage, "pip", strings.Join(o.pos[1:], " "))
			}
			if o.at(0) == "install" && (strings.HasPrefix(o.at(1), "http://") || strings.HasPrefix(o.at(1), "git+http://")) {
				sh.effect(RunUnknown, "network", o.at(1))
			}
		}
	case "make", "gmake":
		return makeRecipes
	case "just":
		return func(sh *shell, c command) {
			sh.exec(after(c.args, "--command", 1), c.in)
			sh.exec(after(c.args, "-c", 1), c.in)
		}
	case "go":
		return func(sh *shell, c command) {
			for i, a := range c.args {
				if text, ok := sh.files[sh.path(a)]; ok && i > 0 && c.args[0] == "run" {
					sh.code(text, "js")
				}
			}
			if c.in != nil && first(c.args) == "run" && containsString(c.args, "-") {
				sh.code(*c.in, "js")
			}
			if containsPrefix(c.args, "-toolexec") || containsPrefix(c.args, "-exec") {
				o := parseOptions(c.args, "toolexec exec")
				if code, ok := o.get("toolexec", "exec"); ok {
					sh.run(code, nil)
				}
			}
		}
	case "ansible", "ansible-playbook", "salt", "puppet", "chef-client", "fab", "pssh", "pdsh", "dsh", "clush":
		return fleet
	}
	return nil
}

func systemPackages(sh *shell, c command) {
	o := parseOptions(c.args, "t o c root")
	if c.name == "brew" && o.at(0) == "services" {
		if oneOf(o.at(1), "stop kill") {
			sh.effect(StopService, o.at(1), o.at(2))
		}
		return
	}
	if c.name == "brew" && o.at(0) == "bundle" && (o.exact("cleanup") || o.at(1) == "cleanup" && o.exact("f", "force")) {
		sh.effect(RemovePackage, c.name, "all that the Brewfile does not name")
		return
	}
	if o.exact("dry-run", "simulate", "s", "just-print") && c.name != "pacman" {
		return
	}
	switch {
	case containsAny(o.pos, "remove purge autoremove uninstall erase unmerge deinstall del rm zap") && !oneOf(o.at(0), "list search info show install"),
		c.name == "pacman" && containsPrefix(c.args, "-R"),
		c.name == "dpkg" && (o.exact("r", "P", "remove", "purge") || o.exact("force-all")),
		c.name == "rpm" && o.exact("e", "erase"),
		c.name == "emerge" && o.exact("C", "unmerge", "depclean"),
		c.name == "nix-collect-garbage", c.name == "nix-env" && o.exact("e", "uninstall"):
		sh.effect(RemovePackage, c.name, strings.Join(o.pos, " "))
	}
}

// makeRecipes runs the recipes of a makefile that this very call wrote or
// pipes in; every other makefile is the project's own.
func makeRecipes(sh *shell, c command) {
	o := parseOptions(c.args, "f C j I o W file directory eval makefile")
	for _, code := range o.all("eval") {
		sh.makefile(code)
	}
	for _, set := range o.pos { // the program that every recipe is handed to
		if code, ok := strings.CutPrefix(set, "SHELL="); ok && strings.Contains(code, " ") {
			sh.run(code, nil)
		}
	}
	name, named := o.get("f", "file", "makefile")
	if named && name == "-" && c.in != nil {
		sh.makefile(*c.in)
		return
	}
	if !named {
		name = "Makefile"
	}
	if dir, ok := o.get("C", "directory"); ok {
		name = dir + "/" + name
	}
	sh.makefile(sh.files[sh.path(name)])
}

func (sh *shell) makefile(text string) {
	for _, line := range strings.Split(text, "\n") {
		if _, code, ok := strings.Cut(line, "$(shell "); ok {
			sh.run(strings.TrimSuffix(code, ")"), nil)
		}
		recipe, ok := strings.CutPrefix(line, "\t")
		if _, inline, after := strings.Cut(line, ";"); !ok && after {
			recipe, ok = inline, true
		}
		if ok {
			sh.run(strings.TrimLeft(strings.ReplaceAll(recipe, "$$", "$"), "@+- "), nil)
		}
	}
}

// fleetModule: what one of Ansible's modules is told, as "key=value" words.
func (sh *shell) fleetModule(module, text string) {
	args := map[string]string{}
	for _, kv := range strings.Fields(text) {
		key, v, _ := strings.Cut(kv, "=")
		args[key] = v
	}
	switch gone := args["state"] == "absent" || args["state"] == "removed"; {
	case module == "reboot":
		sh.effect(Power, module, "")
	case oneOf(module, "service systemd systemd_service") && oneOf(args["state"], "stopped restarted"):
		sh.effect(StopService, args["state"], args["name"])
	case module == "file" && gone:
		sh.effect(DeleteTree, "", sh.path(args["path"]+args["dest"]))
	case gone && oneOf(module, "apt yum dnf package pip"):
		sh.effect(RemovePackage, module, args["name"])
	case gone:
		sh.effect(DestroyRemote, "part", module+" "+args["name"])
	}
}

// fleet tools run commands on many machines.
func fleet(sh *shell, c command) {
	o := parseOptions(c.args, "a m i u e w h H args module-name inventory hosts")
	child := sh.sub()
	child.place = remotePlace()
	module, _ := o.get("m", "module-name")
	code, _ := o.get("a", "args")
	switch module = module[strings.LastIndexByte(module, '.')+1:]; module {
	case "", "shell", "command", "raw", "script":
		child.run(code, nil)
	default:
		child.fleetModule(module, code)
	}
	if c.name == "salt" {
		child.run(strings.Join(after(c.args, "cmd.run", 1), " "), nil)
	}
	if oneOf(c.name, "pssh pdsh dsh clush") && len(o.pos) > 0 {
		child.run(strings.Join(o.pos, " "), nil)
	}
}
