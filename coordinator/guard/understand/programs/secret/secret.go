// Package secret has the programs that print, store or look for secrets, and says where a secret that a command
// carries ends up.
package secret

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// This file covers commands that print a secret and programs that send one out. A
// secret that one program passes to another stays in the text as a mark: HoleSecret
// for the content of a credential file, HoleKey for a single token. It is reported
// where it ends up.

// A secretCommand lists commands that print a secret: behind each comma the operands with which one
// begins, and the options that it needs.
type secretCommand struct{ programs, commands string }

var secretCommands = []secretCommand{
	{"pass", "show|grep"}, {"gopass", "show|cat"}, {"bw", "get|export|list"}, {"rbw keyring credstash", "get"},
	{"lpass keepassxc-cli", "show"}, {"secret-tool", "lookup|search"}, {"vault", "read, kv get, print token"},
	{"bao", "read, kv get"}, {"doppler", "secrets"}, {"chamber", "export|read"}, {"infisical", "secrets|export"},
	{"sops", "decrypt, --d decrypt"}, {"ansible-vault", "view|decrypt"}, {"age", "--d decrypt"},
	{"kubeseal", "--recovery-unseal"}, {"oc", "whoami --t show-token, extract"},
	{"heroku", "config|config:get|auth:token"}, {"fly", "auth token, tokens create, config env"},
	{"flyctl", "auth token, config env"}, {"vercel", "env pull"}, {"railway", "variables"},
	{"netlify", "env:get, env:list --plain json"}, {"supabase", "secrets reveal, projects api-keys"},
	{"terraform", "state pull, output --raw"}, {"tofu", "state pull"}, {"rails", "credentials:show"},
	{"kwallet-query", "--r"}, {"dotnet", "user-secrets list"}, {"nomad", "var get"}, {"berglas", "access"},
	{"conjur", "variable get"}, {"akeyless", "get-secret-value"}, {"esc", "open"},
	{"hcp", "vault-secrets secrets open"}, {"npm", "token create"}, {"dotenvx", "get|decrypt"},
	{"convex", "env list|get"}, {"cf", "env"}, {"snyk", "config get api"}, {"scw", "secret version access"},
	{"oci", "secrets secret-bundle get"}, {"ibmcloud", "iam oauth-tokens"},
	{"databricks", "secrets get-secret, auth token"}, {"wrangler", "auth token"}, {"stripe", "config --list"},
	{"teller", "show|export"},
	{"op", "read, item get --reveal fields format=json, document get"},
	{
		"aws", "secretsmanager get-secret-value|batch-get-secret-value, ssm --with-decryption, sts " +
			"get-session-token|assume-role, configure export-credentials, iam " +
			"create-access-key|create-service-specific-credential, rds generate-db-auth-token, configure get " +
			"aws_secret_access_key|aws_session_token, codeartifact get-authorization-token, eks get-token",
	},
	{
		"gcloud", "secrets versions access, auth print-access-token|print-identity-token, sql generate-login-token, " +
			"auth application-default print-access-token, iam service-accounts keys create",
	},
	{
		"az", "keyvault secret show|download, account get-access-token, acr credential show, redis list-keys, " +
			"storage account keys list, storage account show-connection-string, cosmosdb|functionapp keys list, " +
			"webapp|functionapp config appsettings list, servicebus namespace authorization-rule keys list, " +
			"containerapp secret show, ad sp create-for-rbac, ad sp|app credential reset",
	},
	{"doctl", "databases connection, kubernetes cluster kubeconfig show"},
	{"argocd", "account generate-token, admin initial-password"},
	{"kubectl", "config view --raw, create token, view-secret"},
	{"gh", "auth token, auth status --show-token t, auth git-credential get"},
	{"glab", "auth status --show-token t, config get token, variable get|export"},
	{"git", "credential fill, credential-store|credential-osxkeychain|credential-manager|credential-libsecret get"},
	{"pulumi", "config get, config --show-secrets, stack export|output --show-secrets, env open"},
	{"security", "find-generic-password --w g, find-internet-password --w, dump-keychain --d, export"},
	{"firebase", "functions:secrets:access|functions:config:get"},
	{"eas", "env:list --include-sensitive, env:pull|env:get"},
}

// IsCommander reports whether a program may print a secret.
func IsCommander(name string) bool {
	return slices.ContainsFunc(secretCommands, func(s secretCommand) bool { return lex.OneOf(name, s.programs) })
}

// secretValues are the options with a value of programs that print secrets.
const secretValues = "n namespace context p profile region project o output path secret secret-id name vault-name " +
	"query in-dir config kubeconfig format account subscription endpoint-url as kube-context R repo c C cwd a app"

// ReportSecret reports a command that prints a secret. If another program reads the
// output, the secret is not shown, and its mark stays in the output.
func ReportSecret(sh *shell.Shell, c shell.Command) bool {
	o := argv.ParseOptions(c.Args, secretValues)
	if c.Name == "gcloud" && lex.OneOf(o.At(0), "alpha beta") {
		o.Pos = o.Pos[1:]
	}
	for _, s := range secretCommands {
		if !lex.OneOf(c.Name, s.programs) {
			continue
		}
		for command := range strings.SplitSeq(s.commands, ", ") {
			words, options, needs := strings.Cut(command, "--")
			words = strings.TrimSpace(words)
			if rows.BeginWith(o.Pos, words) && (!needs || o.Given(options)) {
				ReportKey(sh, c.Name, words)
				return true
			}
		}
	}
	return false
}

// ReportKey reports a single token that a program prints.
func ReportKey(sh *shell.Shell, what, which string) {
	if sh.Out == nil {
		sh.Effect(effect.RevealSecret, effect.Named(what), which)
	}
	sh.Print(partial.UnknownKey)
}

// ReportCarried reports a secret that a program sends out: a credential file among the
// operands, or secret text in the arguments or in standard input.
func ReportCarried(sh *shell.Shell, c shell.Command, operands []string, to string) {
	texts := append(rows.Stdin(c), c.Args...)
	for _, p := range operands {
		if p = strings.TrimPrefix(p, "@"); !shell.IsRemotePath(p) {
			texts = append(texts, FileText(sh, p))
		}
	}
	if HasMark(texts, partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.Secret, to)
	}
}

// Programs are the programs that store secrets or look for them, and those that look up names.
var Programs = []rows.Table{
	{Programs: "pass gopass bw rbw lpass keyring secret-tool keepassxc-cli ansible-vault age kubeseal " +
		"kwallet-query", Do: rows.PrintUnknown, Rows: []rows.Row{
		{Words: "rm|rmdir|remove|del|delete|purge|clear", As: &DeletesStored},
	}},
	{
		Programs: "trufflehog noseyparker kingfisher gitleaks",
		Options:  "r report-path f report-format c config s source redact?", Do: printFindings,
	},
	{Programs: "dig nslookup host ping traceroute whois drill kdig", Do: reportLookup},
}

var DeletesStored = rows.Act{Kind: effect.DestroyRemote, Op: effect.Part, To: rows.OperandsFrom(0)}

// printFindings prints the secrets that a program finds, or writes them into a report.
func printFindings(sh *shell.Shell, c shell.Command, o argv.Options) {
	report, named := o.Get("r", "report-path")
	switch {
	case named && !o.Given("redact"):
		sh.Remember(sh.Write(report), partial.UnknownSecret)
	case named:
		sh.Write(report)
	case c.Name != "gitleaks":
		sh.Print(partial.UnknownSecret)
	}
}

// reportLookup reports secrets in the names that a program looks up.
func reportLookup(sh *shell.Shell, c shell.Command, _ argv.Options) {
	ReportCarried(sh, c, nil, c.Name)
	ReportKeys(sh, c.Args, c.Name)
	sh.Print(partial.Unknown)
}

// ReportCommitted reports credentials that git prints from its history.
func ReportCommitted(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case c.Name == "log" && !o.Given("p u patch L"):
		return
	case c.Name == "stash" && o.At(0) != "show":
		return
	}
	for _, p := range o.Pos {
		if !namesCommitted(sh, p) {
			continue
		}
		if sh.Out == nil {
			sh.Effect(effect.RevealSecret, effect.CommittedSecret, p[strings.IndexByte(p, ':')+1:])
		}
		sh.Print(partial.UnknownSecret + partial.UnknownKey)
	}
}

// namesCommitted reports whether an operand of git names a credential: "commit:file", or a file.
func namesCommitted(sh *shell.Shell, operand string) bool {
	if _, file, ok := strings.Cut(operand, ":"); ok {
		return protected.SecretPath("/"+file, "")
	}
	return strings.ContainsAny(operand, "./") && protected.SecretPath(sh.Path(operand), sh.Place.Home)
}

// ReportStaged reports credentials that are named to git, whose history others get. With force
// the whole tree has those that are ignored, too.
func ReportStaged(sh *shell.Shell, c shell.Command, o argv.Options) {
	forced := c.Name != "commit" && o.Given("f force")
	switch {
	case forced && o.Given("A all"), HasMark(c.Args, partial.HoleSecret):
		sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Place.Cwd)
		return
	}
	for _, p := range o.Pos {
		switch {
		case forced && p != "*" && rows.IsWholeTree(sh, p),
			!protected.Committed(p) && HoldsSecret(sh, p),
			settingsWithKey(sh, p):
			sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Path(p))
			return
		}
	}
	if c.Name != "commit" && sh.Place.Away == "" {
		reportStagedTrees(sh, o)
	}
}

// settingsWithKey reports whether a file of settings on the disk holds a private key, as that of a
// service account does. Those for tests may.
func settingsWithKey(sh *shell.Shell, name string) bool {
	if !lex.EndsWith(name, ".json .yaml .yml .toml .ini .cfg .conf .properties .tfvars .txt") || lex.ForTests(name) {
		return false
	}
	text, _ := sh.FileText(name)
	return web.HoldsPrivateKey(text)
}

// reportStagedTrees reports the trees whose new files git adds.
func reportStagedTrees(sh *shell.Shell, o argv.Options) {
	switch {
	case o.Given("u update n dry-run p patch"):
		return
	case len(o.Pos) == 0 && o.Given("A all"):
		sh.Effect(effect.SendOut, effect.StagedTree, rows.Toplevel(sh))
	}
	for _, p := range o.Pos[:min(len(o.Pos), expand.MaxAlternatives)] {
		sh.Effect(effect.SendOut, effect.StagedTree, sh.Path(p))
	}
}

// usesSecrets are programs of no table that use a credential as it is meant, or show nothing of it.
const usesSecrets = "apksigner attrib b2sum b3sum blackbox certbot certtool chattr chcon cksum codesign cosign" +
	" detect-secrets direnv dotenv dotenv-linter dotenvx du editorconfig-checker entr foreman getfacl ggshield gio" +
	" git-crypt git-secret hivemind honcho inotifywait jarsigner keytool lsattr lsof md5 md5sum mdls minisign mkcert" +
	" open osslsigncode overmind pre-commit rage restorecon sbsign setfacl sha1sum sha224sum sha256sum sha384sum" +
	" sha512sum shasum signify ssh-add step sum touch transcrypt trash watchexec xattr xdg-open"

// secretOptions are words in the names of options whose value is a credential that is used.
const secretOptions = "key keyfile keystore cert certfile identity env envfile secret secrets password passphrase " +
	"pass credential credentials token auth account netrc vault kubeconfig pgpass client i k e E K c"

// ReportOperands reports credentials among the operands of a program that no table lists. A
// program that gets a file may show it. The value of an option that asks for a credential is
// used and not shown.
func ReportOperands(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case rows.IsOwnScript(full), lex.OneOf(c.Name, usesSecrets), sh.Place.Away != "":
		return // a script of the project, a program that is known, or files of another machine
	}
	before := ""
	for _, a := range c.Args {
		switch {
		case strings.HasPrefix(a, "-"), !strings.ContainsAny(a, "./"), asksForKey(before):
		case protected.SecretPath(sh.Path(a), sh.Place.Home):
			sh.Effect(effect.ReadFile, "", sh.Path(a))
			return
		}
		before = a
	}
}

// asksForKey reports whether an argument is an option whose value is a credential.
func asksForKey(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return name != arg && lex.ContainsAny(append(lex.VerbWords(name), name), secretOptions)
}

// ReportFiles reports credentials among the files that a program prints, although that is not its purpose.
func ReportFiles(sh *shell.Shell, files []string) {
	for _, f := range files {
		if HoldsSecret(sh, f) {
			sh.Print(sh.Read(f))
		}
	}
}

// HoldsSecret reports whether a file on this machine is a credential file.
func HoldsSecret(sh *shell.Shell, file string) bool {
	return sh.Place.Away == "" && protected.SecretPath(sh.Path(file), sh.Place.Home)
}

// DataQuery reports credentials that jq or yq reads. The files follow an expression.
func DataQuery(sh *shell.Shell, c shell.Command, o argv.Options) {
	files := o.Pos
	if lex.OneOf(lex.First(files), "e eval ea eval-all") {
		files = files[1:]
	}
	if _, ok := o.Get("f", "from-file"); !ok && len(files) > 0 {
		files = files[1:]
	}
	for i, a := range c.Args {
		if lex.OneOf(a, "--slurpfile --rawfile") && i+2 < len(c.Args) {
			files = append(files, c.Args[i+2])
		}
	}
	for _, f := range files {
		if text := sh.Read(f); HoldsSecret(sh, f) {
			sh.Print(text)
		}
	}
	switch in := rows.Stdin(c); {
	case HasMark(in, partial.HoleSecret):
		sh.Print(partial.UnknownSecret)
	case HasMark(in, partial.HoleKey) && selectsKey(o.At(0)):
		rows.PrintRepeated(sh, c, partial.UnknownKey)
	}
	sh.Print(partial.Unknown)
}

// selectsKey reports whether an expression of jq selects the value of a secret: everything, or a
// field whose name says so.
func selectsKey(expression string) bool {
	fields := strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune(".[]|?\" ", r) })
	if len(fields) == 0 {
		return true
	}
	last := fields[len(fields)-1]
	return lex.OneOf(last, "Env SecretBinary SecretString connectionString data fields fromjson primaryKey"+
		" primaryMasterKey secondaryKey value") || protected.SecretName(last)
}

// KeyTool reports a private key that ssh-keygen reads.
func KeyTool(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch file, ok := o.Get("f"); {
	case !ok:
	case o.Given("y e p"):
		ReportFiles(sh, []string{file})
	case o.Given("t") && strings.HasPrefix(strings.Join(rows.Stdin(c), ""), "y"):
		sh.Write(file)
	}
}

// ReportFetched reports secrets that a client fetches by URL: a local credential file, or
// the machine's own credentials from its cloud.
func ReportFetched(sh *shell.Shell, urls []string) {
	for _, u := range urls {
		if file, ok := strings.CutPrefix(strings.ToLower(u), "file://"); ok {
			ReportFiles(sh, []string{u[len(u)-len(strings.TrimPrefix(file, "localhost")):]})
		}
		if web.MetadataURL(u) {
			sh.Effect(effect.RevealSecret, effect.MachineCredentials, u)
		}
	}
}

// ReportOutgoing reports secrets that a request carries. Secrets in the body or the URL
// are certain leaks. Secrets in other arguments, such as headers, are possible leaks,
// because a token belongs there.
func ReportOutgoing(sh *shell.Shell, c shell.Command, bodies []string, host string) {
	bodies = append(bodies, host)
	switch {
	case HasMark(bodies, partial.HoleSecret):
		sh.Effect(effect.SendOut, effect.Secret, host)
	case HasMark(c.Args, partial.HoleSecret):
		sh.Possible(effect.SendOut, effect.Secret, host)
	default:
		ReportKeys(sh, bodies, host)
		foreignKeysLeave(sh, c.Args, host)
		if HasMark(bodies, partial.HoleData) && !web.IsLocalHost(host) {
			sh.Effect(effect.SendOut, effect.Named("packed data"), host)
		}
	}
}

// HasMark reports whether a text contains the mark of a secret.
func HasMark(texts []string, mark rune) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, mark) })
}

// FileText returns the content of a file as far as it is known. A credential file
// yields a mark for a secret.
func FileText(sh *shell.Shell, name string) string {
	p := sh.Path(name)
	if text, ok := sh.Files[p]; ok {
		return text
	}
	if protected.HoldsSecret(p, sh.Place.Home) {
		return partial.UnknownSecret
	}
	return partial.Unknown
}

// ReportKeys reports a possible leak if the parts sent to a host contain a key or a
// token. A service may get its own key, a local host any key, and an API host one that is
// not of another service.
func ReportKeys(sh *shell.Shell, parts []string, host string) {
	switch {
	case web.IsLocalHost(host):
		return
	case slices.ContainsFunc(parts, func(p string) bool { return web.LeaksKey(p, host, false) }):
		sh.Possible(effect.SendOut, effect.Secret, host)
		return
	case !HasMark(parts, partial.HoleKey):
		return
	}
	switch web.KeysFor(sh.Text(), host) {
	case web.OfHost:
		return
	case web.OfNobody:
		if web.IsAPIHost(host) {
			return
		}
	}
	sh.Possible(effect.SendOut, effect.Secret, host)
}

// foreignKeysLeave reports a key of one service that a header brings to another host. Any
// other key belongs in a header.
func foreignKeysLeave(sh *shell.Shell, args []string, host string) {
	switch {
	case web.IsLocalHost(host), partial.HasHole(web.HostOf(host)):
	case HasMark(args, partial.HoleKey) && web.KeysFor(sh.Text(), host) == web.OfOther,
		slices.ContainsFunc(args, func(a string) bool { return web.LeaksKey(a, host, true) }):
		sh.Possible(effect.SendOut, effect.Secret, host)
	}
}

// ReportCopied reports a secret in the file of the operand before the last one, which is copied to the
// service or the machine of the last one.
func ReportCopied(sh *shell.Shell, c shell.Command, o argv.Options) {
	from, to := o.At(len(o.Pos)-2), o.At(len(o.Pos)-1)
	if strings.Contains(to, ":") {
		ReportCarried(sh, shell.Command{In: c.In}, []string{from}, to)
	}
}

// ReportRevealed reports a secret or a token in a text that is shown.
func ReportRevealed(sh *shell.Shell, text string) {
	if sh.Out == nil && strings.ContainsAny(text, partial.UnknownSecret+partial.UnknownKey) {
		sh.Effect(effect.RevealSecret, effect.Variable, "")
	}
}

// ReportVariables reports a command that only shows variables, where these hold secrets.
func ReportVariables(sh *shell.Shell, argv []string) {
	if lex.First(argv) == "printenv" || slices.Equal(argv, []string{"env"}) {
		ReportRevealed(sh, partial.UnknownKey)
		sh.Print(partial.UnknownKey)
	}
}
