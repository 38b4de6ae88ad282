package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// publishPrograms are the programs of this file, with what each does.
var publishPrograms = []named{
	{names: "npm pnpm yarn bun", do: nodePackages},
	{names: "npx bunx pnpx uvx pipx", do: packageRunner},
	{names: "cargo", do: cargo},
	{names: "gem", do: verbs("push yank owner", effect.PublishOut, "uninstall")},
	{names: "twine", do: verbs("upload register", effect.PublishOut, "")},
	{names: "mvn gradle gradlew mvnw sbt", do: verbs("deploy publish publishToMavenCentral publishPlugins publishSigned release:perform", effect.PublishOut, "")},
	{names: "dotnet nuget", do: func(sh *shell.Shell, c shell.Command) {
		if lex.ContainsAny(c.Args, "push delete") && lex.ContainsAny(append(c.Args, c.Name), "nuget") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
	}},
	{names: "vsce ovsx jsr changeset semantic-release goreleaser release-it np flit melos pod dart " +
		"flutter hex luarocks clojars wapm expo eas fastlane lein clojure snapcraft " +
		"huggingface-cli hf skopeo crane regctl buildah oras", do: func(sh *shell.Shell, c shell.Command) {
		if lex.ContainsAny(c.Args, "publish release push upload submit unpublish trunk deploy") || lex.OneOf(c.Name, "semantic-release np release-it") || lex.OneOf(c.Name, "skopeo crane regctl") && lex.ContainsAny(c.Args, "copy sync") {
			if !lex.ContainsAny(c.Args, "--dry-run --snapshot --skip-publish") {
				sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
			}
		}
	}},
}

// placePrograms are the tools that make something reachable for others.
var placePrograms = []named{
	{names: "surge gh-pages cpan-upload", do: func(sh *shell.Shell, c shell.Command) {
		if !lex.ContainsAny(c.Args, "login logout whoami list teardown token --help") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "site")
		}
		if controls(c.Name) {
			remoteControl(sh, c)
		}
	}},
	{names: "cloudflared tailscale kaggle", do: func(sh *shell.Shell, c shell.Command) {
		if lex.ContainsAny(c.Args, "--url funnel") || lex.First(c.Args) == "tunnel" && slices.Contains(c.Args, "run") || c.Name == "kaggle" && lex.ContainsAny(c.Args, "create version submit") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "to others")
		}
		if controls(c.Name) {
			remoteControl(sh, c)
		}
	}},
}

// verbs is the row of a tool with publishing and removing verbs. It stays out of
// line: each copy is loaded with every hook.
//
//go:noinline
func verbs(list string, kind effect.Kind, removing string) action {
	return func(sh *shell.Shell, c shell.Command) {
		o := shell.ParseOptions(c.Args, "p package manifest-path repository registry target features k Z config color")
		if o.Exact("dry-run", "help") || o.At(0) == "owner" && !o.Exact("add", "a", "remove", "r") && len(o.Pos) < 3 && c.Name == "cargo" {
			return
		}
		if len(o.Pos) > 0 && strings.HasPrefix(o.Pos[0], "+") {
			o.Pos = o.Pos[1:]
		}
		for _, p := range o.Pos {
			verb := p[strings.LastIndexByte(p, ':')+1:]
			if lex.OneOf(p, list) || lex.OneOf(verb, list) && !lex.OneOf(verb, "owner push") {
				sh.Effect(kind, effect.Named(c.Name), "registry")
				return
			}
			if lex.OneOf(p, removing) {
				sh.Effect(effect.RemovePackage, effect.Named(c.Name), p)
				return
			}
			if lex.OneOf(c.Name, "cargo gem") {
				return
			}
		}
	}
}

func cargo(sh *shell.Shell, c shell.Command) {
	if lex.First(c.Args) != "watch" {
		verbs("publish yank owner release", effect.PublishOut, "")(sh, c)
		return
	}
	for _, code := range shell.ParseOptions(c.Args[1:], "s shell x exec w i d").All("s", "shell") {
		sh.RunText(code)
	}
	sh.Exec(lex.After(c.Args, "--", 1), c.In)
}

func nodePackages(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "w workspace prefix C dir tag otp registry cwd filter F")
	verb := o.At(0)
	if verb == "npm" || c.Name == "yarn" && verb == "workspace" {
		o.Pos = o.Pos[min(len(o.Pos), map[bool]int{true: 1, false: 2}[verb == "npm"]):]
		verb = o.At(0)
	}
	global := o.Exact("g", "global", "location") || verb == "global"
	switch verb {
	case "pkg":
		for _, kv := range o.Pos {
			if key, code, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(key, "scripts.") {
				sh.Run(code, nil)
			}
		}
	case "run", "run-script", "test", "start":
		name := o.At(1)
		if lex.OneOf(verb, "test start") {
			name = verb
		}
		toks := script.Tokenize(sh.Files[sh.Path("package.json")], "js")
		for i := 0; i+2 < len(toks); i++ {
			if toks[i].Kind == 's' && toks[i].Text == name && toks[i+1].Kind == ':' && toks[i+2].Kind == 's' {
				sh.RunText(toks[i+2].Text)
			}
		}
	case "publish":
		if !o.Exact("dry-run") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
	case "unpublish", "deprecate", "owner", "access", "dist-tag", "star", "token", "team", "org", "hook", "profile":
		if !lex.OneOf(o.At(1), "ls list get") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), verb)
		}
	case "uninstall", "remove", "rm", "un", "unlink":
		if global {
			sh.Effect(effect.RemovePackage, effect.Named(c.Name), "global")
		}
	case "cache":
		if lex.OneOf(o.At(1), "clean rm") && o.Exact("force") {
			sh.Effect(effect.PruneLocal, effect.Cache, c.Name)
		}
	case "exec", "dlx", "x":
		inner := lex.After(c.Args, verb, 1)
		if len(inner) == 1 && strings.Contains(inner[0], " ") {
			sh.RunText(inner[0]) // yarn has a shell of its own
			return
		}
		packageRunner(sh, shell.Command{Name: c.Name, Args: inner, In: c.In})
	case "config", "c", "get":
		if asked := o.At(len(o.Pos) - 1); slices.Contains(o.Pos, "get") && registrySecret(asked) {
			showsKey(sh, "registry token", asked)
			return
		}
		fallthrough
	case "set":
		if o.At(1) == "set" && lex.HasWord(lex.VerbWords(strings.Join(o.Pos, " ")), "registry script") {
			sh.Effect(effect.ChangeSystem, effect.Named(c.Name), "settings")
		}
	case "audit":
		if o.At(1) == "fix" && o.Exact("force") {
			sh.Effect(effect.RemovePackage, effect.Named(c.Name), "major updates")
		}
	default:
		packageProgram(sh, c, verb)
	}
}

// registrySecret is true of the settings that a package manager signs in with.
func registrySecret(key string) bool {
	key = key[strings.LastIndexByte(key, ':')+1:]
	return lex.OneOf(strings.ToLower(key), "_auth npmauthident") || protected.SecretName(key)
}

// packageProgram runs what is no verb of the package manager's own: a script of
// the project, or the program of one of its packages. Only yarn, pnpm and bun
// look for those.
func packageProgram(sh *shell.Shell, c shell.Command, verb string) {
	if c.Name == "npm" || verb == "" || lex.OneOf(verb, "install i ci add link ln env init create why ls ll list node set search import patch bin root import view info up update upgrade prune dedupe fetch version help store setup server deploy") {
		return
	}
	sh.Exec(append([]string{verb}, lex.After(c.Args, verb, 1)...), c.In)
}

// packageRunner runs a tool of a package: its row is judged as if installed.
func packageRunner(sh *shell.Shell, c shell.Command) {
	o, rest := shell.Leading(c.Args, "p package c call from with python")
	if code, ok := o.Get("c", "call"); ok {
		sh.Run(code, nil)
		return
	}
	if c.Name == "pipx" && len(rest) > 0 {
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
		sh.Effect(effect.RunUnknown, effect.Network, argv[0])
		return
	}
	if i := strings.LastIndexByte(argv[0], '@'); i > 0 {
		argv[0] = argv[0][:i]
	}
	sh.Exec(argv, c.In)
}

// packagePrograms are the programs of this file, with what each does.
var packagePrograms = []named{
	{names: "apt apt-get aptitude yum dnf zypper pacman apk brew port snap flatpak dpkg rpm emerge " +
		"xbps-remove pkg choco winget scoop nix-env nix-collect-garbage", do: systemPackages},
	{names: "pip pip3", do: func(sh *shell.Shell, c shell.Command) {
		o := shell.ParseOptions(c.Args, "r i index-url extra-index-url target t")
		if o.At(0) == "uninstall" {
			sh.Effect(effect.RemovePackage, effect.Pip, strings.Join(o.Pos[1:], " "))
		}
		if o.At(0) == "install" && (lex.BeginsWith(o.At(1), "http:// git+http://")) {
			sh.Effect(effect.RunUnknown, effect.Network, o.At(1))
		}
	}},
	{names: "make gmake", do: makeRecipes},
	{names: "just", do: func(sh *shell.Shell, c shell.Command) {
		sh.Exec(lex.After(c.Args, "--command", 1), c.In)
		sh.Exec(lex.After(c.Args, "-c", 1), c.In)
	}},
	{names: "go", do: func(sh *shell.Shell, c shell.Command) {
		for i, a := range c.Args {
			if text, ok := sh.Files[sh.Path(a)]; ok && i > 0 && c.Args[0] == "run" {
				script.Run(sh, text, "js")
			}
		}
		if c.In != nil && lex.First(c.Args) == "run" && slices.Contains(c.Args, "-") {
			script.Run(sh, *c.In, "js")
		}
		if lex.ContainsPrefix(c.Args, "-toolexec") || lex.ContainsPrefix(c.Args, "-exec") {
			o := shell.ParseOptions(c.Args, "toolexec exec")
			if code, ok := o.Get("toolexec", "exec"); ok {
				sh.Run(code, nil)
			}
		}
	}},
	{names: "ansible ansible-playbook salt puppet chef-client fab pssh pdsh dsh clush", do: fleet},
}

func systemPackages(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "t o c root")
	if c.Name == "brew" && o.At(0) == "services" {
		if lex.OneOf(o.At(1), "stop kill") {
			sh.Effect(effect.StopService, effect.Named(o.At(1)), o.At(2))
		}
		return
	}
	if c.Name == "brew" && o.At(0) == "bundle" && (o.Exact("cleanup") || o.At(1) == "cleanup" && o.Exact("f", "force")) {
		sh.Effect(effect.RemovePackage, effect.Named(c.Name), "all that the Brewfile does not name")
		return
	}
	if o.Exact("dry-run", "simulate", "s", "just-print") && c.Name != "pacman" {
		return
	}
	switch {
	case lex.ContainsAny(o.Pos, "remove purge autoremove uninstall erase unmerge deinstall del rm zap") && !lex.OneOf(o.At(0), "list search info show install"),
		c.Name == "pacman" && lex.ContainsPrefix(c.Args, "-R"),
		c.Name == "dpkg" && (o.Exact("r", "P", "remove", "purge", "force-all")),
		c.Name == "rpm" && o.Exact("e", "erase"),
		c.Name == "emerge" && o.Exact("C", "unmerge", "depclean"),
		c.Name == "nix-collect-garbage", c.Name == "nix-env" && o.Exact("e", "uninstall"):
		sh.Effect(effect.RemovePackage, effect.Named(c.Name), strings.Join(o.Pos, " "))
	}
}

// makeRecipes runs the recipes of a makefile that this very call wrote or
// pipes in; every other makefile is the project's own.
func makeRecipes(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "f C j I o W file directory eval makefile")
	for _, code := range o.All("eval") {
		makefile(sh, code)
	}
	for _, set := range o.Pos { // the program that every recipe is handed to
		if code, ok := strings.CutPrefix(set, "SHELL="); ok && strings.Contains(code, " ") {
			sh.Run(code, nil)
		}
	}
	name, named := o.Get("f", "file", "makefile")
	if named && name == "-" && c.In != nil {
		makefile(sh, *c.In)
		return
	}
	if !named {
		name = "Makefile"
	}
	if dir, ok := o.Get("C", "directory"); ok {
		name = dir + "/" + name
	}
	makefile(sh, sh.Files[sh.Path(name)])
}

func makefile(sh *shell.Shell, text string) {
	for _, line := range strings.Split(text, "\n") {
		if _, code, ok := strings.Cut(line, "$(shell "); ok {
			sh.Run(strings.TrimSuffix(code, ")"), nil)
		}
		recipe, ok := strings.CutPrefix(line, "\t")
		if _, inline, after := strings.Cut(line, ";"); !ok && after {
			recipe, ok = inline, true
		}
		if ok {
			sh.Run(strings.TrimLeft(strings.ReplaceAll(recipe, "$$", "$"), "@+- "), nil)
		}
	}
}

// fleetModule: what one of Ansible's modules is told, as "key=value" words.
func fleetModule(sh *shell.Shell, module, text string) {
	args := map[string]string{}
	for _, kv := range strings.Fields(text) {
		key, v, _ := strings.Cut(kv, "=")
		args[key] = v
	}
	switch gone := lex.OneOf(args["state"], "absent removed"); {
	case module == "reboot":
		sh.Effect(effect.Power, effect.Named(module), "")
	case lex.OneOf(module, "service systemd systemd_service") && lex.OneOf(args["state"], "stopped restarted"):
		sh.Effect(effect.StopService, effect.Named(args["state"]), args["name"])
	case module == "file" && gone:
		sh.Effect(effect.DeleteTree, "", sh.Path(args["path"]+args["dest"]))
	case gone && lex.OneOf(module, "apt yum dnf package pip"):
		sh.Effect(effect.RemovePackage, effect.Named(module), args["name"])
	case gone:
		sh.Effect(effect.DestroyRemote, effect.Part, module+" "+args["name"])
	}
}

// fleet tools run commands on many machines.
func fleet(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "a m i u e w h H args module-name inventory hosts")
	child := sh.Sub()
	child.Place = shell.RemotePlace()
	module, _ := o.Get("m", "module-name")
	code, _ := o.Get("a", "args")
	switch module = module[strings.LastIndexByte(module, '.')+1:]; module {
	case "", "shell", "command", "raw", "script":
		child.Run(code, nil)
	default:
		fleetModule(child, module, code)
	}
	if c.Name == "salt" {
		child.Run(strings.Join(lex.After(c.Args, "cmd.run", 1), " "), nil)
	}
	if lex.OneOf(c.Name, "pssh pdsh dsh clush") && len(o.Pos) > 0 {
		child.Run(strings.Join(o.Pos, " "), nil)
	}
}
