package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
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
	{"az", "storage account keys list", ""}, {"az", "acr credential show", ""}, {"kubectl", "config view", "raw"},
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
}

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
				"secret-id name vault-name query in-dir config kubeconfig "+
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
		"kwallet-query", do: printUnknown},
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
	},
}

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

// committedStores are settings that projects commit, with the values left to the environment.
const committedStores = ".npmrc .envrc .my.cnf .env.test .env.development .env.ci .env.vault .env.defaults"

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
		if !lex.OneOf(fspath.Base(p), committedStores) && holdsSecret(sh, p) {
			sh.Effect(effect.SendOut, effect.CommittedSecret, sh.Path(p))
			return
		}
	}
}
