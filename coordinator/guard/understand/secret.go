package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// This file covers commands that print a secret and programs that send one out. A
// secret that one program passes to another stays in the text as a mark: HoleSecret
// for the content of a credential file, HoleKey for a single token. It is reported
// where it ends up.

// secretCommand is a command that prints a secret: its program, its first operands,
// and a required flag, or "".
type secretCommand struct{ program, words, flag string }

var secretCommands = []secretCommand{
	{"pass", "show", ""}, {"pass", "grep", ""}, {"gopass", "show", ""}, {"gopass", "cat", ""}, {"bw", "get", ""},
	{"bw", "export", ""}, {"bw", "list", ""}, {"rbw", "get", ""}, {"lpass", "show", ""}, {"keyring", "get", ""},
	{"secret-tool", "lookup", ""}, {"secret-tool", "search", ""}, {"keepassxc-cli", "show", ""},
	{"op", "read", ""}, {"op", "item get", "reveal"}, {"op", "item get", "fields"}, {"op", "document get", ""},
	{"vault", "read", ""}, {"vault", "kv get", ""}, {"vault", "print token", ""}, {"bao", "read", ""},
	{"bao", "kv get", ""}, {"doppler", "secrets", ""}, {"chamber", "export", ""}, {"chamber", "read", ""},
	{"infisical", "secrets", ""}, {"infisical", "export", ""}, {"sops", "decrypt", ""}, {"sops", "", "d"},
	{"sops", "", "decrypt"}, {"ansible-vault", "view", ""}, {"ansible-vault", "decrypt", ""}, {"age", "", "d"},
	{"age", "", "decrypt"}, {"aws", "secretsmanager get-secret-value", ""},
	{"aws", "secretsmanager batch-get-secret-value", ""}, {"aws", "ssm", "with-decryption"},
	{"aws", "sts get-session-token", ""}, {"aws", "sts assume-role", ""},
	{"aws", "configure export-credentials", ""}, {"aws", "iam create-access-key", ""},
	{"aws", "configure get aws_secret_access_key", ""}, {"aws", "configure get aws_session_token", ""},
	{"gcloud", "secrets versions access", ""}, {"gcloud", "auth print-access-token", ""},
	{"gcloud", "auth print-identity-token", ""}, {"gcloud", "auth application-default print-access-token", ""},
	{"gcloud", "iam service-accounts keys create", ""}, {"az", "keyvault secret show", ""},
	{"az", "keyvault secret download", ""}, {"az", "account get-access-token", ""},
	{"az", "storage account keys list", ""}, {"az", "storage account show-connection-string", ""},
	{"az", "cosmosdb keys list", ""}, {"az", "redis list-keys", ""}, {"az", "webapp config appsettings list", ""},
	{"az", "functionapp config appsettings list", ""}, {"az", "functionapp keys list", ""},
	{"az", "servicebus namespace authorization-rule keys list", ""}, {"az", "containerapp secret show", ""},
	{"gcloud", "sql generate-login-token", ""}, {"doctl", "databases connection", ""},
	{"doctl", "kubernetes cluster kubeconfig show", ""}, {"argocd", "account generate-token", ""}, {"az", "acr credential show", ""}, {"kubectl", "config view", "raw"},
	{"kubectl", "create token", ""}, {"kubeseal", "", "recovery-unseal"}, {"oc", "whoami", "t"},
	{"oc", "whoami", "show-token"}, {"argocd", "admin initial-password", ""}, {"heroku", "config", ""},
	{"heroku", "config:get", ""}, {"heroku", "auth:token", ""}, {"fly", "auth token", ""},
	{"fly", "tokens create", ""}, {"flyctl", "auth token", ""}, {"vercel", "env pull", ""},
	{"railway", "variables", ""}, {"netlify", "env:get", ""}, {"supabase", "secrets reveal", ""},
	{"supabase", "projects api-keys", ""}, {"gh", "auth token", ""}, {"gh", "auth status", "show-token"},
	{"gh", "auth status", "t"}, {"gh", "auth git-credential get", ""}, {"glab", "auth status", "show-token"},
	{"glab", "auth status", "t"}, {"glab", "config get token", ""}, {"git", "credential fill", ""},
	{"git", "credential-store get", ""}, {"git", "credential-osxkeychain get", ""},
	{"git", "credential-manager get", ""}, {"git", "credential-libsecret get", ""}, {"terraform", "state pull", ""},
	{"tofu", "state pull", ""}, {"rails", "credentials:show", ""}, {"pulumi", "config get", ""},
	{"pulumi", "config", "show-secrets"}, {"pulumi", "stack export", "show-secrets"},
	{"pulumi", "stack output", "show-secrets"}, {"terraform", "output", "raw"}, {"kwallet-query", "", "r"},
	{"security", "find-generic-password", "w"}, {"security", "find-internet-password", "w"},
	{"security", "dump-keychain", "d"}, {"security", "export", ""}, {"dotnet", "user-secrets list", ""},
	{"aws", "iam create-service-specific-credential", ""},
	{"aws", "codeartifact get-authorization-token", ""}, {"aws", "eks get-token", ""},
	{"az", "ad sp create-for-rbac", ""}, {"az", "ad sp credential reset", ""}, {"az", "ad app credential reset", ""},
	{"nomad", "var get", ""}, {"berglas", "access", ""},
	{"conjur", "variable get", ""}, {"credstash", "get", ""}, {"akeyless", "get-secret-value", ""},
	{"pulumi", "env open", ""}, {"esc", "open", ""}, {"hcp", "vault-secrets secrets open", ""},
	{"firebase", "functions:secrets:access", ""}, {"npm", "token create", ""}, {"dotenvx", "get", ""},
	{"netlify", "env:list", "plain"}, {"oc", "extract", ""}, {"security", "find-generic-password", "g"},
	{"eas", "env:list", "include-sensitive"}, {"eas", "env:pull", ""}, {"eas", "env:get", ""},
	{"convex", "env list", ""}, {"convex", "env get", ""}, {"firebase", "functions:config:get", ""},
	{"fly", "config env", ""}, {"flyctl", "config env", ""}, {"dotenvx", "decrypt", ""},
	{"glab", "variable get", ""}, {"glab", "variable export", ""}, {"cf", "env", ""},
	{"snyk", "config get api", ""}, {"aws", "rds generate-db-auth-token", ""},
	{"netlify", "env:list", "json"},
	{"scw", "secret version access", ""}, {"oci", "secrets secret-bundle get", ""},
	{"ibmcloud", "iam oauth-tokens", ""}, {"databricks", "secrets get-secret", ""}, {"databricks", "auth token", ""},
	{"wrangler", "auth token", ""}, {"stripe", "config", "list"},
	{"op", "item get", "format=json"}, {"kubectl", "view-secret", ""}, {"teller", "show", ""}, {"teller", "export", ""},
}

// secretCommander reports whether a program may print a secret.
func secretCommander(name string) bool {
	return slices.ContainsFunc(secretCommands, func(s secretCommand) bool { return s.program == name })
}

// showsSecret reports a command that prints a secret. If another program reads the
// output, the secret is not shown, and its mark stays in the output.
func showsSecret(sh *shell.Shell, c shell.Command) bool {
	var o shell.Options
	for i := range secretCommands {
		s := &secretCommands[i]
		if s.program != c.Name {
			continue
		}
		if o.Pos == nil && o.Flags == nil {
			o = shell.ParseOptions(c.Args, "n namespace context p profile region project o output path secret "+
				"secret-id name vault-name query in-dir config kubeconfig format "+
				"account subscription endpoint-url as kube-context R repo c C cwd a app")
			if c.Name == "gcloud" && lex.OneOf(o.At(0), "alpha beta") {
				o.Pos = o.Pos[1:]
			}
		}
		if s.words != "" && !strings.HasPrefix(strings.Join(o.Pos, " ")+" ", s.words+" ") ||
			s.flag != "" && !o.Given(s.flag) {
			continue
		}
		showsKey(sh, c.Name, s.words)
		return true
	}
	return false
}

// showsKey reports a single token that a program prints.
func showsKey(sh *shell.Shell, what, which string) {
	if sh.Out == nil {
		sh.Effect(effect.RevealSecret, effect.Named(what), which)
	}
	sh.Print(partial.UnknownKey)
}

// Carries reports a secret that a program sends out: a credential file among the
// operands, or secret text in the arguments or in standard input.
func Carries(sh *shell.Shell, c shell.Command, operands []string, to string) {
	for _, p := range operands {
		p = strings.TrimPrefix(p, "@")
		if !shell.IsRemotePath(p) && strings.ContainsRune(fileText(sh, p), partial.HoleSecret) {
			sh.Effect(effect.SendOut, effect.Secret, to)
			return
		}
	}
	for _, a := range c.Args {
		if strings.ContainsRune(a, partial.HoleSecret) {
			sh.Effect(effect.SendOut, effect.Secret, to)
			return
		}
	}
	if c.In != nil && strings.ContainsRune(*c.In, partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.Secret, to)
	}
}

// secretPrograms are the programs that only store secrets, or only send data.
var secretPrograms = []table{
	{programs: "pass gopass bw rbw lpass keyring secret-tool keepassxc-cli ansible-vault age kubeseal " +
		"kwallet-query", do: printUnknown, rows: []row{
		{of: "pass gopass", words: "rm|remove|delete", does: deletesStored},
		{of: "bw rbw lpass", words: "delete|remove|rm|purge", does: deletesStored},
		{of: "keyring secret-tool", words: "del|clear", does: deletesStored},
		{of: "keepassxc-cli", words: "rm|rmdir", does: deletesStored},
	}},
	{
		programs: "trufflehog noseyparker kingfisher gitleaks",
		options:  "r report-path f report-format c config s source redact?",
		do:       printsFindings,
	},
	{programs: "dig nslookup host ping traceroute whois drill kdig", do: asksNetwork},
	{
		programs: "wormhole magic-wormhole croc ipfs transfer ffsend toss slack telegram-send pastebinit " +
			"wgetpaste ix s3cmd s5cmd mc b2 azcopy gsutil mosquitto_pub ntfy apprise signal-cli",
		options: "code",
		do:      carriesOperands,
		rows: []row{
			{of: "slack", among: "delete", does: act{effect.DestroyRemote, effect.Part, operands}},
			{of: "slack", words: "chat send|update", does: act{effect.SendOut, effect.Message, theProgram}},
			{of: "telegram-send", without: "configure help version", does: act{effect.SendOut, effect.Message, theProgram}},
			{of: "signal-cli", args: "send", does: act{effect.SendOut, effect.Message, theProgram}},
		},
	},
}

var deletesStored = act{effect.DestroyRemote, effect.Part, operands}

// printsFindings prints the secrets that a program finds, or writes them into a report.
func printsFindings(sh *shell.Shell, c shell.Command, o shell.Options) {
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

// asksNetwork reports secrets in the names that a program looks up.
func asksNetwork(sh *shell.Shell, c shell.Command, _ shell.Options) {
	Carries(sh, c, nil, c.Name)
	keysLeave(sh, c.Args, c.Name)
	sh.Print(partial.Unknown)
}

// carriesOperands reports secrets among the files that a program sends, and what the
// program does on a service.
func carriesOperands(sh *shell.Shell, c shell.Command, o shell.Options) {
	Carries(sh, c, o.Pos, c.Name)
	controlsHosted(sh, c, o)
}

// showsCommitted reports credentials that git prints from its history.
func showsCommitted(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch {
	case c.Name == "log" && !o.Given("p u patch L"):
		return
	case c.Name == "stash" && o.At(0) != "show":
		return
	}
	for _, p := range o.Pos {
		_, file, ok := strings.Cut(p, ":")
		if !ok {
			file = p
		}
		if ok && protected.SecretPath("/"+file, "") ||
			!ok && strings.ContainsAny(p, "./") && protected.SecretPath(sh.Path(p), sh.Place.Home) {
			if sh.Out == nil {
				sh.Effect(effect.RevealSecret, effect.CommittedSecret, file)
			}
			sh.Print(partial.UnknownSecret + partial.UnknownKey)
		}
	}
}

// stagesSecrets reports credentials that are named to git, whose history others get. With force
// the whole tree has those that are ignored, too.
func stagesSecrets(sh *shell.Shell, c shell.Command, o shell.Options) {
	forced := c.Name != "commit" && o.Given("f force")
	if forced && o.Given("A all") || hasMark(c.Args, partial.HoleSecret) {
		sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Place.Cwd)
		return
	}
	for _, p := range o.Pos {
		if forced && p != "*" && wholeTree(sh, p) {
			sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Path(p))
			return
		}
		if !protected.Committed(p) && holdsSecret(sh, p) {
			sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Path(p))
			return
		}
	}
	if c.Name != "commit" && sh.Place.Away == "" {
		stagesTrees(sh, o)
	}
}

// stagesTrees reports the trees whose new files git adds.
func stagesTrees(sh *shell.Shell, o shell.Options) {
	switch {
	case o.Given("u update n dry-run p patch"):
		return
	case len(o.Pos) == 0 && o.Given("A all"):
		sh.Effect(effect.SendOut, effect.StagedTree, toplevel(sh))
	}
	for _, p := range o.Pos[:min(len(o.Pos), shell.MaxAlternatives)] {
		sh.Effect(effect.SendOut, effect.StagedTree, sh.Path(p))
	}
}

// usesSecrets are programs of no table that use a credential as it is meant to be used, or
// that show nothing of it.
const usesSecrets = "ssh-add keytool jarsigner apksigner cosign mkcert step certbot certtool dotenv dotenvx " +
	"dotenv-linter direnv foreman honcho overmind hivemind detect-secrets ggshield " +
	"git-crypt git-secret blackbox transcrypt rage minisign signify codesign osslsigncode sbsign " +
	"md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum " +
	"du touch attrib getfacl setfacl chattr lsattr chcon restorecon xattr mdls open xdg-open trash gio " +
	"pre-commit lsof inotifywait entr watchexec editorconfig-checker"

// secretOptions are words in the names of options whose value is a credential that the
// program uses.
const secretOptions = "key keyfile keystore cert certfile identity env envfile secret secrets password passphrase " +
	"pass credential credentials token auth account netrc vault kubeconfig pgpass client i k e E K c"

// readsOperands reports credentials among the operands of a program that no table lists. A
// program that gets a file may show it. The value of an option that asks for a credential is
// used and not shown.
func readsOperands(sh *shell.Shell, c shell.Command, full string) {
	switch {
	case ownScript(full), lex.OneOf(c.Name, usesSecrets), sh.Place.Away != "":
		return // a script of the project, a program that is known, or files of another machine
	}
	before := ""
	for _, a := range c.Args {
		asked := asksForKey(before)
		before = a
		switch {
		case asked, strings.HasPrefix(a, "-"), !strings.ContainsAny(a, "./"):
		case protected.SecretPath(sh.Path(a), sh.Place.Home):
			sh.Effect(effect.ReadFile, "", sh.Path(a))
			return
		}
	}
}

// asksForKey reports whether an argument is an option whose value is a credential.
func asksForKey(arg string) bool {
	name := strings.TrimLeft(arg, "-")
	return name != arg && lex.ContainsAny(append(lex.VerbWords(name), name), secretOptions)
}

// The programs below show the content of a file, although that is not their purpose.
// Only credential files are reported.

// showsFiles reports credentials among the files that a program prints.
func showsFiles(sh *shell.Shell, files []string) {
	for _, f := range files {
		if holdsSecret(sh, f) {
			sh.Print(sh.Read(f))
		}
	}
}

// holdsSecret reports whether a file on this machine is a credential file.
func holdsSecret(sh *shell.Shell, file string) bool {
	return sh.Place.Away == "" && protected.SecretPath(sh.Path(file), sh.Place.Home)
}

// dataQuery reports credentials that jq or yq reads. The files follow an expression.
func dataQuery(sh *shell.Shell, c shell.Command, o shell.Options) {
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
		if text := sh.Read(f); holdsSecret(sh, f) {
			sh.Print(text)
		}
	}
	switch in := stdin(c); {
	case hasMark(in, partial.HoleSecret):
		sh.Print(partial.UnknownSecret)
	case hasMark(in, partial.HoleKey) && selectsKey(o.At(0)):
		printRepeated(sh, c, partial.UnknownKey)
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
	return lex.OneOf(last, "SecretString SecretBinary data value fields fromjson Env "+
		"primaryKey secondaryKey primaryMasterKey connectionString") || protected.SecretName(last)
}

// keyTool reports a private key that ssh-keygen reads.
func keyTool(sh *shell.Shell, c shell.Command, o shell.Options) {
	if file, ok := o.Get("f"); ok && (o.Given("y e p")) {
		showsFiles(sh, []string{file})
	} else if ok && o.Given("t") && strings.HasPrefix(strings.Join(stdin(c), ""), "y") {
		sh.Write(file)
	}
}

// reportOpened reports credential files that an editor opens.
func reportOpened(sh *shell.Shell, c shell.Command) {
	if lex.OneOf(c.Name, "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak") {
		showsFiles(sh, shell.ParseOptions(c.Args, "c u S T").Pos)
	}
}

// reportFetched reports secrets that a client fetches by URL: a local credential file, or
// the machine's own credentials from its cloud.
func reportFetched(sh *shell.Shell, urls []string) {
	for _, u := range urls {
		if file, ok := strings.CutPrefix(strings.ToLower(u), "file://"); ok {
			showsFiles(sh, []string{u[len(u)-len(strings.TrimPrefix(file, "localhost")):]})
		}
		if web.MetadataURL(u) {
			sh.Effect(effect.RevealSecret, effect.MachineCredentials, u)
		}
	}
}

// What follows tracks secrets into requests: the content of credential files, and single keys
// and tokens.

// outgoing reports secrets that a request carries. Secrets in the body or the URL
// are certain leaks. Secrets in other arguments, such as headers, are possible leaks,
// because a token belongs there.
func outgoing(sh *shell.Shell, c shell.Command, bodies []string, host string) {
	bodies = append(bodies, host)
	switch {
	case hasMark(bodies, partial.HoleSecret):
		sh.Effect(effect.SendOut, effect.Secret, host)
	case hasMark(c.Args, partial.HoleSecret):
		sh.Possible(effect.SendOut, effect.Secret, host)
	default:
		keysLeave(sh, bodies, host)
		foreignKeysLeave(sh, c.Args, host)
	}
}

// hasMark reports whether a text contains the mark of a secret.
func hasMark(texts []string, mark rune) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.ContainsRune(s, mark) })
}

// fileText returns the content of a file as far as it is known. A credential file
// yields a mark for a secret.
func fileText(sh *shell.Shell, name string) string {
	p := sh.Path(name)
	if text, ok := sh.Files[p]; ok {
		return text
	}
	if protected.HoldsSecret(p, sh.Place.Home) {
		return partial.UnknownSecret
	}
	return partial.Unknown
}

// keysLeave reports a possible leak if the parts sent to a host contain a key or a
// token. A service may get its own key, a local host any key, and an API host one that is
// not of another service.
func keysLeave(sh *shell.Shell, parts []string, host string) {
	switch {
	case web.IsLocalHost(host):
		return
	case slices.ContainsFunc(parts, func(p string) bool { return web.LeaksKey(p, host, false) }):
		sh.Possible(effect.SendOut, effect.Secret, host)
		return
	case !hasMark(parts, partial.HoleKey):
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
	if web.IsLocalHost(host) || partial.HasHole(web.HostOf(host)) {
		return
	}
	if hasMark(args, partial.HoleKey) && web.KeysFor(sh.Text(), host) == web.OfOther ||
		slices.ContainsFunc(args, func(a string) bool { return web.LeaksKey(a, host, true) }) {
		sh.Possible(effect.SendOut, effect.Secret, host)
	}
}

// copiesOut reports a secret in the file of the second operand, which is copied to the service
// or the machine of the third.
func copiesOut(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if to := o.At(2); strings.Contains(to, ":") {
		Carries(sh, shell.Command{}, []string{o.At(1)}, to)
	}
}
