package build

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/git"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// PublishPrograms are the programs of this file, with what each does.
var PublishPrograms = []rows.Table{
	{Programs: "npm pnpm yarn", Options: "w workspace prefix C dir tag otp registry cwd filter F", Do: nodePackages},
	{
		Programs: "npx bunx pnpx uvx pipx", Options: "p package c call from with python spec", Leads: true,
		Do:   packageRunner,
		Rows: []rows.Row{{Of: "pipx", Words: "uninstall|uninstall-all", As: &rows.Uninstalls}},
	},
	{Programs: "cargo", Options: packageOptions + " bin example", Dry: "dry-run n", Do: source.RunCargo, Rows: []rows.Row{
		{Words: "watch", Also: runWatched},
		{Words: "sqlx", Runs: &rows.Start{Program: "sqlx", Words: rows.After("sqlx")}},
		{Words: "shuttle", Runs: &rows.Start{Program: "shuttle", Words: rows.After("shuttle")}},
		{Words: "publish|yank|release", As: &rows.Publishes},
		{Words: "+* publish|yank|release|owner", As: &rows.Publishes},
		{Words: "owner", Given: "add a remove r", As: &rows.Publishes},
		{Words: "owner * *", As: &rows.Publishes},
	}},
	{Programs: "gem", Options: packageOptions, Dry: "dry-run", Rows: []rows.Row{
		{Words: "push|yank|owner", As: &rows.Publishes},
		{Words: "uninstall", Does: effect.RemovePackage, OpOf: rows.ProgramName, To: rows.Operand(0)},
	}},
	{Programs: "twine", Options: packageOptions, Dry: "dry-run", Rows: []rows.Row{
		{Among: "upload register", As: &rows.Publishes},
	}},
	{Programs: "mvn mvnw", Options: "f file P activate-profiles D pl projects rf T s", Rows: buildRows},
	{Programs: "gradle gradlew sbt", Options: "b build-file p x", Dry: "dry-run", Rows: buildRows},
	{Programs: "make gmake", Options: recipes.MakeOptions, Do: recipes.MakeRecipes},
	{Programs: "go", Options: source.GoOptions, Do: source.RunGo},
}

const packageOptions = "p package manifest-path repository registry target features k Z config color"

// buildRows are what the tools for building Java do to others and to databases.
var buildRows = []rows.Row{
	{
		Args: "deploy|publish|publishToMavenCentral|publishPlugins|publishSigned|release:perform|*:deploy|*:publish|" +
			"publishAllPublicationsTo*|*:publishAllPublicationsTo*|*:publishToMavenCentral|*:publishPlugins|*:publishSigned",
		As: &rows.Publishes,
	},
	{
		Args: "flyway:clean|flywayClean|*:flywayClean|liquibase:dropAll|dropAll|*:dropAll|liquibaseDropAll",
		Does: effect.DropData, Op: effect.Reset, To: rows.Arguments,
	},
	{Mention: "flyway-maven-plugin:", Args: "*:clean", Does: effect.DropData, Op: effect.Reset, To: rows.Arguments},
	{
		Args: "liquibase:rollback|rollback|rollbackCount|flyway:undo|flywayUndo",
		Does: effect.DropData, Op: effect.Column, To: rows.Arguments,
	},
}

// PackageTables are the programs that publish, or install and remove packages.
var PackageTables = []rows.Table{
	{Programs: "nuget", Rows: []rows.Row{{Args: "push|delete", As: &rows.Publishes}}},
	{Programs: "conan stack cabal anaconda", Options: "r remote t token s site", Rows: []rows.Row{
		{Words: "upload", As: &rows.Publishes},
		{
			Of: "conan", Words: "remove", Given: "r remote", Does: effect.DestroyRemote, Op: effect.Part,
			To: rows.Operand(1),
		},
		{Of: "anaconda", Words: "remove", Does: effect.DestroyRemote, Op: effect.Part, To: rows.Operand(1)},
	}},
	{Programs: "hdfs hadoop", Rows: []rows.Row{
		{Args: "-rm|-rmr|-rmdir|-expunge", Does: effect.DestroyRemote, Op: effect.Part, To: rows.Arguments},
	}},
	{Programs: "cast forge hardhat truffle solana bitcoin-cli", Options: "rpc-url r network u url", Rows: []rows.Row{
		{Of: "cast", Words: "send|publish", As: &rows.ChangesLedger},
		{Of: "forge", Given: "broadcast", As: &rows.ChangesLedger},
		{Of: "hardhat truffle", Words: "run|migrate|deploy|ignition", Given: "network", As: &rows.ChangesLedger},
		{Of: "solana", Words: "program deploy|close|write-buffer|set-upgrade-authority", As: &rows.ChangesLedger},
		{Of: "solana", Words: "transfer", As: &rows.ChangesLedger},
		{Of: "bitcoin-cli", Words: "send*|sweep*", Without: "regtest", As: &rows.ChangesLedger},
	}},
	{Programs: "sdk rustup ghcup sdkmanager avdmanager", Rows: []rows.Row{
		{Given: "uninstall", As: &rows.Uninstalls},
		{Words: "uninstall|rm", As: &rows.Uninstalls},
		{Words: "self|toolchain uninstall|remove", As: &rows.Uninstalls},
	}},
	{Programs: "mkdocs", Rows: []rows.Row{{Words: "gh-deploy", As: &rows.Publishes}}},
	{Programs: "dotnet", Options: "project", Rows: []rows.Row{
		{Words: "run|script", Also: source.RunDotnet},
		{Words: "ef database drop", Without: "dry-run", Does: effect.DropData, Op: effect.Reset, To: rows.Operand(1)},
		{Among: "nuget", Args: "push|delete", As: &rows.Publishes},
	}},
	{
		Programs: "vsce ovsx jsr changeset semantic-release goreleaser release-it np flit melos pod dart flutter hex " +
			"luarocks clojars wapm expo eas fastlane lein snapcraft huggingface-cli hf skopeo crane regctl buildah " +
			"oras ollama buf zapier",
		Rows: []rows.Row{
			{Of: "dart", Also: source.RunFile, GoOn: true},
			{Of: "buildah", Words: "unshare", Runs: &rows.Start{Words: rows.After("unshare")}},
			{Args: "--dry-run|--snapshot|--skip-publish|--preview"},
			{Of: "semantic-release np release-it", As: &rows.Publishes},
			{Of: "pod", Words: "repo|spec"},
			{Of: "skopeo crane regctl", Args: "copy|sync", As: &rows.Publishes},
			{
				Of: "skopeo crane regctl oras", Args: "delete|rm", Does: effect.DestroyRemote, Op: effect.Part,
				To: rows.OperandsFrom(0),
			},
			{Of: "fastlane", Args: "deliver|pilot|supply", As: &rows.Publishes},
			{Of: "eas", Words: "update", As: &rows.Publishes},
			{Of: "zapier", Words: "promote|migrate", As: &rows.Publishes},
			{
				Of: "huggingface-cli hf", Words: "repo|repo-files|repos|buckets|jobs delete|cancel",
				Does: effect.DestroyRemote, Op: effect.Part, To: rows.Joined{rows.Operand(0), rows.Operand(1)},
			},
			{Args: "publish|release|push|upload|submit|unpublish|trunk|deploy", As: &rows.Publishes},
		},
	},
	{Programs: "surge gh-pages cpan-upload", Do: hosted.Report, Rows: []rows.Row{
		{Args: "login|logout|whoami|list|teardown|token|--help"},
		{Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("site")},
	}},
	{Programs: "cloudflared tailscale kaggle", Do: hosted.Report, Rows: []rows.Row{
		{Args: "--url|funnel", Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("to others")},
		{First: "tunnel", Args: "run", Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("to others")},
		{
			Of: "kaggle", Args: "create|version|submit", Does: effect.PublishOut, OpOf: rows.ProgramName,
			To: rows.Text("to others"),
		},
	}},
	{Programs: "pip pip3", Options: "r i e editable index-url extra-index-url trusted-host target t", Rows: []rows.Row{
		{Words: "install", Given: "trusted-host=", GoOn: true, Does: effect.RunUnknown, Op: effect.Network,
			To: rows.ValueOf("trusted-host")},
		{Words: "uninstall", Also: reportUninstalledModules},
		{Words: "install|wheel", Also: source.BuildPackage, GoOn: true},
	}},
	{Programs: "brew", Options: "t o c root", Rows: []rows.Row{
		{Words: "services stop|kill", Does: effect.StopService, OpOf: rows.Operand(1), To: rows.Operand(2)},
		{
			Words: "bundle", Given: "cleanup", Does: effect.RemovePackage, OpOf: rows.ProgramName,
			To: rows.Text(unlistedPackages),
		},
		{
			Words: "bundle cleanup", Given: "f force", Does: effect.RemovePackage, OpOf: rows.ProgramName,
			To: rows.Text(unlistedPackages),
		},
		{Given: packagesSimulated},
		{Words: packagesShown},
		{Among: packagesRemoved, As: &rows.Uninstalls},
	}},
	{Programs: "pacman", Options: "t o c root", Rows: []rows.Row{
		{Args: "-R*", As: &rows.Uninstalls},
		{Words: packagesShown},
		{Among: packagesRemoved, As: &rows.Uninstalls},
	}},
	{
		Programs: "apt apt-get aptitude yum dnf zypper apk port snap flatpak dpkg rpm emerge xbps-remove pkg choco " +
			"winget scoop nix-env nix-collect-garbage",
		Options: "t o c root", Dry: packagesSimulated,
		Rows: []rows.Row{
			{Of: "dpkg", Given: "r P remove purge force-all", As: &rows.Uninstalls},
			{Of: "rpm", Given: "e erase", As: &rows.Uninstalls},
			{Of: "emerge", Given: "C unmerge depclean", As: &rows.Uninstalls},
			{Of: "nix-env", Given: "e uninstall", As: &rows.Uninstalls},
			{Of: "nix-collect-garbage", As: &rows.Uninstalls},
			{Words: packagesShown},
			{Among: packagesRemoved, As: &rows.Uninstalls},
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

// reportUninstalledModules reports modules of Python that are removed, but not from a virtual environment.
func reportUninstalledModules(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if _, inside := sh.Lookup(virtualEnv); !inside {
		sh.Effect(effect.RemovePackage, effect.Named("pip"), strings.Join(o.From(1), " "))
	}
}

// EnterEnvironment notes the virtual environment that has the program or the script of a path.
func EnterEnvironment(sh *shell.Shell, path string) {
	if dir := fspath.Dir(fspath.Dir(path)); lex.OneOf(fspath.Base(dir), ".env .venv env venv virtualenv") {
		sh.Assign(virtualEnv, expand.Value{sh.Path(dir)})
	}
}

// runWatched runs the commands of "cargo watch".
func runWatched(sh *shell.Shell, c shell.Command, _ argv.Options) {
	for _, code := range argv.ParseOptions(c.Args[1:], "s shell x exec w i d").All("s", "shell") {
		sh.RunText(code)
	}
	sh.Exec(lex.After(c.Args, "--", 1), c.In)
}

// nodePackages reports what npm and similar programs publish, remove and run.
func nodePackages(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case o.At(0) == "npm":
		o.Pos = o.From(1)
	case c.Name == "yarn" && o.At(0) == "workspace":
		sh = rows.ShellIn(sh, workspace(sh, o.At(1)))
		o.Pos = o.From(2)
	}
	rows.Run(sh, NodeRows, o.Pos, c, o)
	verb := o.At(0)
	switch {
	case RunNodeScripts(sh, c, o):
		return
	case verb == "run" && c.Name == "yarn": // which also runs programs of packages
		verb = o.At(1)
	case lex.OneOf(verb, nodeVerbs):
		return
	}
	RunPackageProgram(sh, c, verb)
}

// nodeVerbs are the verbs that NodeRows describe. Any other word may be a program.
const nodeVerbs = "access audit c cache config deprecate dist-tag dlx exec get hook logout org owner pkg profile publish" +
	" remove rm run run-script set star start team test token un uninstall unlink unpublish x"

var NodeRows = []rows.Row{
	{Words: "pkg", Also: runScripts},
	{Words: "publish", Without: "dry-run", As: &rows.Publishes},
	{Words: "unpublish|deprecate|owner|access|dist-tag|star|token|team|org|hook|profile ls|list|get"},
	{
		Words: "unpublish|deprecate|owner|access|dist-tag|star|token|team|org|hook|profile|logout", Without: "dry-run",
		Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Operand(0),
	},
	{
		Words: "uninstall|remove|rm|un|unlink", Given: "g global location",
		Does: effect.RemovePackage, OpOf: rows.ProgramName, To: rows.Text("global"),
	},
	{Words: "exec|dlx|x", Also: runPackage},
	{Words: "explore", Runs: &rows.Start{Words: rows.After("--")}},
	{Words: "config|c|get", Among: "get", Also: reportSettingShown},
	{Words: "config|c set", Also: reportRegistry},
	{
		Words: "audit fix", Given: "force", Does: effect.RemovePackage, OpOf: rows.ProgramName,
		To: rows.Text("major updates"),
	},
}

// runScripts runs the code that "npm pkg set" adds as a script of the project.
func runScripts(sh *shell.Shell, _ shell.Command, o argv.Options) {
	for _, kv := range o.Pos {
		if key, code, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(key, "scripts.") {
			sh.Run(code, nil)
		}
	}
}

// runPackage runs a program of a package. A single argument with spaces is run as shell code.
func runPackage(sh *shell.Shell, c shell.Command, o argv.Options) {
	inner := lex.After(c.Args, o.At(0), 1)
	if len(inner) == 1 && strings.Contains(inner[0], " ") {
		sh.RunText(inner[0])
		return
	}
	sh.Exec(append([]string{"npx"}, inner...), c.In)
}

// reportSettingShown reports a token that the command shows.
func reportSettingShown(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if asked := o.At(len(o.Pos) - 1); git.IsSecretSetting(asked) {
		secret.ReportKey(sh, "registry token", asked)
	}
}

// reportRegistry reports a new registry for packages, or a new shell for scripts.
func reportRegistry(sh *shell.Shell, c shell.Command, o argv.Options) {
	if lex.ContainsAny(lex.VerbWords(strings.Join(o.Pos, " ")), "registry script") {
		sh.Effect(effect.ChangeSystem, effect.Named(c.Name), "settings")
	}
}

// RunPackageProgram runs a word that is not a verb of the package manager. It may be a
// script of the project or the program of one of its packages. npm does not run
// such words.
func RunPackageProgram(sh *shell.Shell, c shell.Command, verb string) {
	switch {
	case c.Name == "npm", verb == "", lex.OneOf(verb, "add bin ci create dedupe deploy env fetch help i import info"+
		" init install link list ll ln ls node patch prune root search server set setup store up update upgrade"+
		" version view why"):
		return
	}
	sh.Exec(append([]string{verb}, lex.After(c.Args, verb, 1)...), c.In)
}

// packageRunner runs a tool of a package as if the tool were installed.
func packageRunner(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	if code, ok := o.Get("c", "call"); ok {
		sh.Run(code, nil)
		return
	}
	if c.Name == "pipx" && len(rest) > 0 {
		if rest[0] != "run" {
			return
		}
		o, rest = argv.Leading(rest[1:], "spec python")
	}
	if len(rest) == 0 {
		return
	}
	argv := append([]string{}, rest...)
	from := append(o.All("p", "package", "from", "with", "spec"), argv[0])
	if c.Name == "npx" && isRepository(argv[0]) {
		from = append(from, "github:"+argv[0])
	}
	source.ReportTaken(sh, from)
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
	if program, cut := strings.CutSuffix(name, "-cli"); cut && (hosted.IsClient(program) || program == "eas") {
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
	return rows.IsWord(owner) && rows.IsWord(repo)
}
