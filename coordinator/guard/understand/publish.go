package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// publishPrograms are the programs of this file, with what each does.
var publishPrograms = []table{
	{programs: "npm pnpm yarn", options: "w workspace prefix C dir tag otp registry cwd filter F", do: nodePackages},
	{
		programs: "npx bunx pnpx uvx pipx", options: "p package c call from with python spec", leads: true,
		do:   packageRunner,
		rows: []row{{of: "pipx", words: "uninstall|uninstall-all", as: &uninstalls}},
	},
	{programs: "cargo", options: packageOptions + " bin example", dry: "dry-run n", do: cargoSources, rows: []row{
		{words: "watch", also: watchesCargo},
		{words: "sqlx", runs: &start{program: "sqlx", words: after("sqlx")}},
		{words: "shuttle", runs: &start{program: "shuttle", words: after("shuttle")}},
		{words: "publish|yank|release", as: &publishes},
		{words: "+* publish|yank|release|owner", as: &publishes},
		{words: "owner", given: "add a remove r", as: &publishes},
		{words: "owner * *", as: &publishes},
	}},
	{programs: "gem", options: packageOptions, dry: "dry-run", rows: []row{
		{words: "push|yank|owner", as: &publishes},
		{words: "uninstall", does: effect.RemovePackage, opOf: programName, to: operand(0)},
	}},
	{programs: "twine", options: packageOptions, dry: "dry-run", rows: []row{
		{among: "upload register", as: &publishes},
	}},
	{programs: "mvn mvnw", options: "f file P activate-profiles D pl projects rf T s", rows: buildRows},
	{programs: "gradle gradlew sbt", options: "b build-file p x", dry: "dry-run", rows: buildRows},
	{programs: "make gmake", options: makeOptions, do: makeRecipes},
	{programs: "go", options: goOptions, do: goProgram},
}

const packageOptions = "p package manifest-path repository registry target features k Z config color"

// buildRows are what the tools for building Java do to others and to databases.
var buildRows = []row{
	{
		args: "deploy|publish|publishToMavenCentral|publishPlugins|publishSigned|release:perform|*:deploy|*:publish|" +
			"*:publishToMavenCentral|*:publishPlugins|*:publishSigned",
		as: &publishes,
	},
	{
		args: "flyway:clean|flywayClean|*:flywayClean|liquibase:dropAll|dropAll|*:dropAll|liquibaseDropAll",
		does: effect.DropData, op: effect.Reset, to: arguments,
	},
	{mention: "flyway-maven-plugin:", args: "*:clean", does: effect.DropData, op: effect.Reset, to: arguments},
	{
		args: "liquibase:rollback|rollback|rollbackCount|flyway:undo|flywayUndo",
		does: effect.DropData, op: effect.Column, to: arguments,
	},
}

// packageTables are the programs that publish, or install and remove packages.
var packageTables = []table{
	{programs: "nuget", rows: []row{{args: "push|delete", as: &publishes}}},
	{programs: "conan stack cabal anaconda", options: "r remote t token s site", rows: []row{
		{words: "upload", as: &publishes},
		{of: "conan", words: "remove", given: "r remote", does: effect.DestroyRemote, op: effect.Part, to: operand(1)},
		{of: "anaconda", words: "remove", does: effect.DestroyRemote, op: effect.Part, to: operand(1)},
	}},
	{programs: "hdfs hadoop", rows: []row{
		{args: "-rm|-rmr|-rmdir|-expunge", does: effect.DestroyRemote, op: effect.Part, to: arguments},
	}},
	{programs: "cast forge hardhat truffle solana bitcoin-cli", options: "rpc-url r network u url", rows: []row{
		{of: "cast", words: "send|publish", as: &changesLedger},
		{of: "forge", given: "broadcast", as: &changesLedger},
		{of: "hardhat truffle", words: "run|migrate|deploy|ignition", given: "network", as: &changesLedger},
		{of: "solana", words: "program deploy|close|write-buffer|set-upgrade-authority", as: &changesLedger},
		{of: "solana", words: "transfer", as: &changesLedger},
		{of: "bitcoin-cli", words: "send*|sweep*", without: "regtest", as: &changesLedger},
	}},
	{programs: "sdk rustup ghcup sdkmanager avdmanager", rows: []row{
		{given: "uninstall", as: &uninstalls},
		{words: "uninstall|rm", as: &uninstalls},
		{words: "self|toolchain uninstall|remove", as: &uninstalls},
	}},
	{programs: "mkdocs", rows: []row{{words: "gh-deploy", as: &publishes}}},
	{programs: "dotnet", options: "project", rows: []row{
		{words: "run|script", also: dotnetSource},
		{words: "ef database drop", without: "dry-run", does: effect.DropData, op: effect.Reset, to: operand(1)},
		{among: "nuget", args: "push|delete", as: &publishes},
	}},
	{
		programs: "vsce ovsx jsr changeset semantic-release goreleaser release-it np flit melos pod dart flutter hex " +
			"luarocks clojars wapm expo eas fastlane lein snapcraft huggingface-cli hf skopeo crane regctl buildah " +
			"oras ollama buf zapier",
		rows: []row{
			{of: "dart", also: runsSourceFile, goOn: true},
			{of: "buildah", words: "unshare", runs: &start{words: after("unshare")}},
			{args: "--dry-run|--snapshot|--skip-publish|--preview"},
			{of: "semantic-release np release-it", as: &publishes},
			{of: "pod", words: "repo|spec"},
			{of: "skopeo crane regctl", args: "copy|sync", as: &publishes},
			{
				of: "skopeo crane regctl oras", args: "delete|rm", does: effect.DestroyRemote, op: effect.Part,
				to: operandsFrom(0),
			},
			{of: "fastlane", args: "deliver|pilot|supply", as: &publishes},
			{of: "eas", words: "update", as: &publishes},
			{of: "zapier", words: "promote|migrate", as: &publishes},
			{
				of: "huggingface-cli hf", words: "repo|repo-files|repos|buckets|jobs delete|cancel",
				does: effect.DestroyRemote, op: effect.Part, to: joined{operand(0), operand(1)},
			},
			{args: "publish|release|push|upload|submit|unpublish|trunk|deploy", as: &publishes},
		},
	},
	{programs: "surge gh-pages cpan-upload", do: controlsHosted, rows: []row{
		{args: "login|logout|whoami|list|teardown|token|--help"},
		{does: effect.PublishOut, opOf: programName, to: text("site")},
	}},
	{programs: "cloudflared tailscale kaggle", do: controlsHosted, rows: []row{
		{args: "--url|funnel", does: effect.PublishOut, opOf: programName, to: text("to others")},
		{first: "tunnel", args: "run", does: effect.PublishOut, opOf: programName, to: text("to others")},
		{
			of: "kaggle", args: "create|version|submit", does: effect.PublishOut, opOf: programName,
			to: text("to others"),
		},
	}},
	{programs: "pip pip3", options: "r i e editable index-url extra-index-url target t", rows: []row{
		{words: "uninstall", also: uninstallsModules},
		{words: "install|wheel", also: buildsPackage, goOn: true},
	}},
	{programs: "brew", options: "t o c root", rows: []row{
		{words: "services stop|kill", does: effect.StopService, opOf: operand(1), to: operand(2)},
		{words: "bundle", given: "cleanup", does: effect.RemovePackage, opOf: programName, to: text(unlistedPackages)},
		{
			words: "bundle cleanup", given: "f force", does: effect.RemovePackage, opOf: programName,
			to: text(unlistedPackages),
		},
		{given: packagesSimulated},
		{words: packagesShown},
		{among: packagesRemoved, as: &uninstalls},
	}},
	{programs: "pacman", options: "t o c root", rows: []row{
		{args: "-R*", as: &uninstalls},
		{words: packagesShown},
		{among: packagesRemoved, as: &uninstalls},
	}},
	{
		programs: "apt apt-get aptitude yum dnf zypper apk port snap flatpak dpkg rpm emerge xbps-remove pkg choco " +
			"winget scoop nix-env nix-collect-garbage",
		options: "t o c root", dry: packagesSimulated,
		rows: []row{
			{of: "dpkg", given: "r P remove purge force-all", as: &uninstalls},
			{of: "rpm", given: "e erase", as: &uninstalls},
			{of: "emerge", given: "C unmerge depclean", as: &uninstalls},
			{of: "nix-env", given: "e uninstall", as: &uninstalls},
			{of: "nix-collect-garbage", as: &uninstalls},
			{words: packagesShown},
			{among: packagesRemoved, as: &uninstalls},
		},
	},
}

const (
	packagesSimulated = "dry-run simulate s just-print assumeno"
	packagesShown     = "list|search|info|show|install"
	packagesRemoved   = "remove purge autoremove uninstall erase unmerge deinstall del rm zap"
	unlistedPackages  = "all that the Brewfile does not name"
)

// virtualEnv is the variable that names the virtual environment in which Python runs.
const virtualEnv = "VIRTUAL_ENV"

// uninstallsModules reports modules of Python that are removed, but not from a virtual environment.
func uninstallsModules(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if _, inside := sh.Lookup(virtualEnv); !inside {
		sh.Effect(effect.RemovePackage, effect.Named("pip"), strings.Join(o.From(1), " "))
	}
}

// entersEnvironment notes the virtual environment that has the program or the script of a path.
func entersEnvironment(sh *shell.Shell, path string) {
	if dir := fspath.Dir(fspath.Dir(path)); lex.OneOf(fspath.Base(dir), ".venv venv env .env virtualenv") {
		sh.Assign(virtualEnv, shell.Value{sh.Path(dir)})
	}
}

// watchesCargo runs the commands of "cargo watch".
func watchesCargo(sh *shell.Shell, c shell.Command, _ shell.Options) {
	for _, code := range shell.ParseOptions(c.Args[1:], "s shell x exec w i d").All("s", "shell") {
		sh.RunText(code)
	}
	sh.Exec(lex.After(c.Args, "--", 1), c.In)
}

// nodePackages reports what npm and similar programs publish, remove and run.
func nodePackages(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch {
	case o.At(0) == "npm":
		o.Pos = o.From(1)
	case c.Name == "yarn" && o.At(0) == "workspace":
		sh = shellIn(sh, workspace(sh, o.At(1)))
		o.Pos = o.From(2)
	}
	runRows(sh, nodeRows, o.Pos, c, o)
	verb := o.At(0)
	switch {
	case nodeScripts(sh, c, o):
		return
	case verb == "run" && c.Name == "yarn": // which also runs programs of packages
		verb = o.At(1)
	case lex.OneOf(verb, nodeVerbs):
		return
	}
	packageProgram(sh, c, verb)
}

// nodeVerbs are the verbs that nodeRows describe. Any other word may be a program.
const nodeVerbs = "pkg run run-script test start publish unpublish deprecate owner access dist-tag star token team " +
	"org hook profile uninstall remove rm un unlink cache exec dlx x config c get set audit"

var nodeRows = []row{
	{words: "pkg", also: runsScripts},
	{words: "publish", without: "dry-run", as: &publishes},
	{words: "unpublish|deprecate|owner|access|dist-tag|star|token|team|org|hook|profile ls|list|get"},
	{
		words: "unpublish|deprecate|owner|access|dist-tag|star|token|team|org|hook|profile", without: "dry-run",
		does: effect.PublishOut, opOf: programName, to: operand(0),
	},
	{
		words: "uninstall|remove|rm|un|unlink", given: "g global location",
		does: effect.RemovePackage, opOf: programName, to: text("global"),
	},
	{words: "exec|dlx|x", also: runsPackage},
	{words: "explore", runs: &start{words: after("--")}},
	{words: "config|c|get", among: "get", also: getsSetting},
	{words: "config|c set", also: setsRegistry},
	{words: "audit fix", given: "force", does: effect.RemovePackage, opOf: programName, to: text("major updates")},
}

// runsScripts runs the code that "npm pkg set" adds as a script of the project.
func runsScripts(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, kv := range o.Pos {
		if key, code, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(key, "scripts.") {
			sh.Run(code, nil)
		}
	}
}

// runsPackage runs a program of a package. A single argument with spaces is run as shell code.
func runsPackage(sh *shell.Shell, c shell.Command, o shell.Options) {
	inner := lex.After(c.Args, o.At(0), 1)
	if len(inner) == 1 && strings.Contains(inner[0], " ") {
		sh.RunText(inner[0])
		return
	}
	sh.Exec(append([]string{"npx"}, inner...), c.In)
}

// getsSetting reports a token that the command shows.
func getsSetting(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if asked := o.At(len(o.Pos) - 1); secretSetting(asked) {
		showsKey(sh, "registry token", asked)
	}
}

// setsRegistry reports a new registry for packages, or a new shell for scripts.
func setsRegistry(sh *shell.Shell, c shell.Command, o shell.Options) {
	if lex.ContainsAny(lex.VerbWords(strings.Join(o.Pos, " ")), "registry script") {
		sh.Effect(effect.ChangeSystem, effect.Named(c.Name), "settings")
	}
}

// packageProgram runs a word that is not a verb of the package manager. It may be a
// script of the project or the program of one of its packages. npm does not run
// such words.
func packageProgram(sh *shell.Shell, c shell.Command, verb string) {
	switch {
	case c.Name == "npm", verb == "", lex.OneOf(verb, "install i ci add link ln env init create why ls ll list "+
		"node set search import patch bin root import view info up update upgrade prune dedupe fetch version "+
		"help store setup server deploy"):
		return
	}
	sh.Exec(append([]string{verb}, lex.After(c.Args, verb, 1)...), c.In)
}

// packageRunner runs a tool of a package as if the tool were installed.
func packageRunner(sh *shell.Shell, c shell.Command, o shell.Options) {
	rest := o.Pos
	if code, ok := o.Get("c", "call"); ok {
		sh.Run(code, nil)
		return
	}
	if c.Name == "pipx" && len(rest) > 0 {
		if rest[0] != "run" {
			return
		}
		o, rest = shell.Leading(rest[1:], "spec python")
	}
	if len(rest) == 0 {
		return
	}
	argv := append([]string{}, rest...)
	from := append(o.All("p", "package", "from", "with", "spec"), argv[0])
	if c.Name == "npx" && isRepository(argv[0]) {
		from = append(from, "github:"+argv[0])
	}
	takesCode(sh, from)
	if i := strings.LastIndexByte(argv[0], '@'); i > 0 {
		argv[0] = argv[0][:i]
	}
	argv[0] = packagedProgram(argv[0])
	sh.Exec(argv, c.In)
}

// packageNames are packages whose program has a name of its own.
var packageNames = [...]struct{ name, program string }{
	{"@anthropic-ai/claude-code", "claude"}, {"@sentry/cli", "sentry-cli"}, {"@changesets/cli", "changeset"},
	{"firebase-tools", "firebase"}, {"aws-cdk", "cdk"},
}

// packagedProgram returns the program of a package, which may have another name: netlify-cli has
// netlify, and @railway/cli has railway.
func packagedProgram(name string) string {
	for _, p := range packageNames {
		if p.name == name {
			return p.program
		}
	}
	if scope, ok := strings.CutSuffix(name, "/cli"); ok && strings.HasPrefix(scope, "@") {
		return scope[1:]
	}
	if program, cut := strings.CutSuffix(name, "-cli"); cut && (controls(program) || program == "eas") {
		return program
	}
	return name
}

// isRepository reports whether the name of a package is that of a repository: owner/name.
func isRepository(name string) bool {
	owner, repo, ok := strings.Cut(name, "/")
	if !ok || strings.HasPrefix(name, "@") {
		return false
	}
	return isWord(owner) && isWord(repo)
}
