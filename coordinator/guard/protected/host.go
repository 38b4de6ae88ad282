// Package protected knows the files, sockets and processes that a session must leave alone: credentials,
// cookies, the settings of the host, and what belongs to Afar.
package protected

import (
	"path"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// HostPath reports whether a file decides which hooks the host runs.
func HostPath(p, home string, env map[string]string) bool {
	low := strings.ToLower(p)
	base := fspath.Base(low)
	if lex.OneOf(base, "managed-settings.json remote-settings.json .claude.json") {
		return true
	}
	tail, ok := HostFolder(p, env)
	return ok && hostTail(tail)
}

// HostFolder returns the part of a path below a folder of the host, in lower
// case: "" for the folder itself, otherwise a text that begins with a slash.
func HostFolder(p string, env map[string]string) (tail string, ok bool) {
	if dir := env["CLAUDE_CONFIG_DIR"]; fspath.Within(p, dir) && hostTail(strings.ToLower(p[len(dir):])) {
		return strings.ToLower(p[len(dir):]), true
	}
	low := strings.ToLower(p)
	if i := strings.LastIndex(low, "/.claude/"); i >= 0 {
		return low[i+len("/.claude"):], true
	}
	return "", strings.HasSuffix(low, "/.claude")
}

// hostTail reports whether a path below a folder of the host decides which hooks it runs.
func hostTail(tail string) bool {
	switch {
	case tail == "",
		lex.OneOf(tail, "/ /* /.credentials.json /"+partial.Unknown),
		fspath.WithinAny(tail, "/plugins /hooks /dev-mods /daemon /jobs /sessions /session-env /shell-snapshots"):
		return true
	}
	base := fspath.Base(tail)
	return strings.HasPrefix(base, "settings") && (strings.HasSuffix(base, ".json") || !fspath.IsExact(base))
}

// HostInstructions reports whether a path below a folder of the host is one from which later sessions
// take instructions, commands, agents or tasks. Some of these name programs that run without a question.
func HostInstructions(tail string) bool {
	return fspath.WithinAny(tail, "/skills /commands /agents /output-styles /workflows /rules") ||
		tail == "/scheduled_tasks.json"
}

// HostSocket reports whether a text names a socket on which the host takes messages for a session, keys for
// its terminal or orders for its supervisor, or the variable that names one.
func HostSocket(text string) bool {
	return lex.Mentions(text, "cc-socks/ cc-daemon- CLAUDE_CODE_MESSAGING_SOCKET .pty.sock")
}

// SwitchOff is the name of the file that turns Afar off in a project.
const SwitchOff = ".afar-disabled"

// PolicyFile is the name of the policy file of a person and of a project. The
// guard protects a file of this name in every directory.
const PolicyFile = "guard.toml"

// HookEvents lists the names of Afar's hook binaries, without "hook-".
const HookEvents = "agent config-change elicitation notification permission-denied permission-request post-tool-use" +
	" post-tool-use-failure pre-compact pre-tool-use session-end session-start stop stop-failure stop-rewake" +
	" subagent-start subagent-stop user-prompt-expansion user-prompt-submit"

// NamesProcess reports whether a text, or a pattern without what is special in it, contains the name of
// one of Afar's processes.
func NamesProcess(text string) bool {
	low := strings.ReplaceAll(strings.ToLower(WithoutPattern(text)), "safar", "")
	if lex.Mentions(low, "afar agent-run fleet-server") {
		return true
	}
	_, hook, ok := strings.Cut(low, "hook-")
	return ok && lex.BeginsWith(hook, HookEvents)
}

// WithoutPattern returns a pattern without the characters that are special in it.
func WithoutPattern(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("^$.*+?[]()\\", r) {
			return -1
		}
		return r
	}, s)
}

// LinkedProgram reports whether p is a link to the program that install makes.
func LinkedProgram(p string) bool {
	return strings.HasSuffix(p, "/.local/bin/afar") || p == "/usr/local/bin/afar"
}

// GuardedName reports whether a path belongs to Afar by its name alone: a policy
// file, the switch, the link to the program, its service, or a file of Afar that
// a search finds by name.
func GuardedName(p string) bool {
	base := fspath.Base(p)
	switch {
	case base == SwitchOff, strings.EqualFold(base, PolicyFile), LinkedProgram(p):
		return true
	case strings.Contains(base, "afar"):
		return lex.Mentions(p, "/LaunchAgents/ /systemd/") ||
			partial.HasHole(p) && lex.OneOf(base, "afar.db afar.sock afar")
	}
	event, ok := strings.CutPrefix(base, "hook-")
	return ok && partial.HasHole(p) && lex.OneOf(event, HookEvents)
}

// UndoRefs is the namespace of Afar's snapshots in a repository.
const UndoRefs = "refs/afar"

// HoldsUndo reports whether a ref, or a pattern for refs, names Afar's snapshots.
func HoldsUndo(ref string) bool {
	return fspath.Within(ref, UndoRefs) || strings.HasPrefix(ref, UndoRefs+"*")
}

// browserFiles are the files in which browsers keep cookies and passwords, in lower case. A
// comma stands for a blank. Those of the second list have the name in a browser's folder only.
const (
	browserFiles = "cookies.sqlite cookies.binarycookies login,data,for,account"
	profileFiles = "cookies extension,cookies key4.db local,state login,data logins.json safe,browsing,cookies" +
		" signons.sqlite"
	browserSuffix = "-wal -journal -shm .bak .corrupt"
)

// browserFolders are parts of paths below which browsers keep their profiles, in lower case.
const browserFolders = "/.mozilla /firefox /librewolf /.librewolf /waterfox /.waterfox /.zen /zen " +
	"/google-chrome /chromium " +
	"/google/chrome /bravesoftware /brave-browser /microsoft-edge /microsoft,edge /microsoft/edge /vivaldi " +
	"/opera " +
	"/com.operasoftware.opera /arc/user,data /user,data /com.apple.safari /library/cookies /org.mozilla.firefox " +
	"/org.chromium.chromium /com.google.chrome /com.brave.browser /com.microsoft.edge /epiphany /qutebrowser /falkon"

// BrowserStore reports whether a file holds the cookies or passwords of a browser, or is a
// folder of a browser that holds such files. Afar's page is open to who has its cookie.
func BrowserStore(p string) bool {
	if !MayBeBrowser(p) {
		return false
	}
	low := strings.NewReplacer(" ", ",", `\`, "/").Replace(strings.ToLower(strings.TrimRight(p, `/\`)))
	base := fspath.Base(low)
	for suffix := range strings.SplitSeq(browserSuffix, " ") {
		base = strings.TrimSuffix(base, suffix)
	}
	if lex.OneOf(base, browserFiles) {
		return true
	}
	tail, ok := belowBrowser(low)
	return ok && (lex.OneOf(base, profileFiles) || isProfile(tail))
}

// MayBeBrowser reports whether a text contains a part of what BrowserStore knows. It costs less.
func MayBeBrowser(text string) bool {
	switch {
	case len(text) < len("zen"):
		return false
	case text[0] == '.', strings.ContainsAny(text, `/\`), lex.Mentions(text, "ookies ogin"):
		return lex.Mentions(strings.ToLower(text), "cookies login mozilla firefox librewolf waterfox zen chrom brave "+
			"edge vivaldi opera arc user safari epiphany qutebrowser falkon")
	}
	return false
}

// belowBrowser returns the part of a path below the folder of a browser in a home.
func belowBrowser(low string) (tail string, ok bool) {
	if !lex.Mentions(low, "/. /library/ /appdata/ /snap/ /user,data") {
		return "", false // the sources of a browser, a folder of drivers
	}
	for folder := range strings.SplitSeq(browserFolders, " ") {
		if i := strings.LastIndex(low, folder); i >= 0 {
			below := low[i+len(folder):]
			if below == "" || strings.IndexByte("/*-,", below[0]) >= 0 {
				return below, true
			}
		}
	}
	return "", false
}

// isProfile reports whether a path below the folder of a browser is that of a whole profile,
// of what holds profiles, or of a pattern that finds the files in one.
func isProfile(tail string) bool {
	base := fspath.Base(tail)
	switch {
	case tail == "", fspath.HasGlob(tail),
		lex.OneOf(base, "default firefox network profiles user,data"),
		strings.HasPrefix(base, "profile,"),
		strings.Contains(base, ".default"):
		return true
	}
	return false
}

// readsCookies are programs and modules that read the cookies of browsers.
const readsCookies = "browser_cookie3 browsercookie pycookiecheat rookiepy chrome-cookies-secure " +
	"cookies-from-browser chrome_cookies get-cookie sweetcookie hackbrowserdata"

// ReadsBrowser reports whether a program text names a module that reads the cookies of
// browsers, or the parts of a path to them.
func ReadsBrowser(text string) bool {
	low := strings.ToLower(text)
	if lex.Mentions(low, readsCookies) {
		return true
	}
	return lex.Mentions(low, "google-chrome chromium bravesoftware microsoft-edge vivaldi opera google/chrome") &&
		(lex.Mentions(low, `"cookies" 'cookies' /cookies" /cookies'`) || strings.Contains(low, "login data"))
}

// secretFiles are the base names of files that hold credentials in any directory; a pattern
// loses the stars at its end.
const secretFiles = ".boto .credentials.json .env .envrc .git-credentials .htpasswd .my.cnf .netrc .npmrc .pgpass" +
	" .pypirc .s3cfg .vault-token _netrc access_tokens.db application_default_credentials.json credentials.json" +
	" credentials.tfrc.json gshadow id_ id_dsa id_ecdsa id_ed25519 id_rsa key4.db kubeconfig logins.json master.key" +
	" master.passwd rclone.conf secrets.json secrets.toml secrets.yaml secrets.yml secring.gpg" +
	" service-account-key.json service-account.json service_account.json service_account_key.json shadow" +
	" telegram.token terraform.tfstate token.json wallet.dat"

// secretStores are the files and folders in which tools keep credentials, as paths below a
// home. A tool that keeps its settings elsewhere on another system has one entry: see settingsFolders.
const secretStores = ".aliyun/config.json .argocd/config .authinfo .aws/cli/cache .aws/config .aws/credentials" +
	" .aws/sso/cache .azure/accessTokens.json .azure/msal_token_cache.bin .azure/msal_token_cache.json" +
	" .azure/service_principal_entries.json .b2_account_info .bluemix/config.json .cache/huggingface/token" +
	" .cargo/credentials .cargo/credentials.toml .civo.json .cloudflared .codex/auth.json .composer/auth.json" +
	" .config/.wrangler/config .config/argocd/config .config/b2/account_info .config/cloudflared" +
	" .config/com.vercel.cli/auth.json .config/composer/auth.json .config/configstore/firebase-tools.json" +
	" .config/containers/auth.json .config/doctl/config.yaml .config/exoscale .config/filezilla/sitemanager.xml" +
	" .config/gcloud/credentials.db .config/gcloud/legacy_credentials .config/gh/hosts.yml" +
	" .config/github-copilot/apps.json .config/github-copilot/hosts.json .config/glab-cli/config.yml" +
	" .config/hcloud/cli.toml .config/helm/registry/config.json .config/hub .config/jira/.config.yml" +
	" .config/linode-cli .config/neonctl/credentials.json .config/netlify/config.json .config/ngrok/ngrok.yml" +
	" .config/op/config .config/planetscale/access-token .config/pypoetry/auth.toml .config/rclone/rclone.conf" +
	" .config/scw/config.yaml .config/solana/id.json .config/sops/age/keys.txt .config/stripe/config.toml" +
	" .config/tea/config.yml .config/turso/settings.json .config/wandb .consul-token .databrickscfg" +
	" .dbt/profiles.yml .docker/config.json .doppler .ethereum/keystore .expo/state.json .fly/config.yml" +
	" .gem/credentials .gemini/oauth_creds.json .gnupg .gradle/gradle.properties .hex/hex.config .huggingface/token" +
	" .infisical .ivy2/.credentials .kaggle/kaggle.json .kube/config .linode-cli .local/share/amp/secrets.json" +
	" .local/share/atuin/key .local/share/com.vercel.cli/auth.json .local/share/keyrings" +
	" .local/share/opencode/auth.json .local/share/uv/credentials .m2/settings.xml .mc/config.json .modal.toml" +
	" .msmtprc .mylogin.cnf .netlify/config.json .ngrok2/ngrok.yml .nomad-token .nuget/NuGet/NuGet.Config" +
	" .oci/config .oci/sessions .password-store .pulumi/credentials.json .purple/accounts.xml .qwen/oauth_creds.json" +
	" .railway/config.json .render/cli.yaml .sbt/.credentials .snowflake/connections.toml .snowsql/config" +
	" .supabase/access-token .terraform.d/credentials.tfrc.json .twilio-cli/config.json .upstash.json" +
	" .vercel/auth.json .vultr-cli.yaml .wrangler/config"

// homeStores hold credentials only directly below the home: in a project they are settings.
const homeStores = ".aider.conf.yml .bundle/config .config/pip/pip.conf .lftprc .sentryclirc .terraformrc" +
	" .yarnrc.yml"

// publicKeys are words in the names of files that hold certificates or public keys.
const publicKeys = "ca cacert cacerts cert certs certificate certificates chain fullchain bundle crt csr root " +
	"intermediate issuer trust truststore sig"

// cloudWords are words in the names of files with the keys of clouds.
const cloudWords = "sa gcp gcs gcloud google firebase firestore gke aws azure cloud prod production deploy"

// knownSSH are the files of an .ssh folder that hold no key.
const knownSSH = "config rc environment allowed_signers"

// SecretPath reports whether a file holds keys, tokens or passwords. Templates
// and public keys are not secret.
func SecretPath(p, home string) bool {
	base := strings.TrimRight(strings.ToLower(fspath.Base(p)), "*")
	switch {
	case isTemplate(base):
		return false
	case lex.OneOf(base, secretFiles),
		lex.BeginsWith(base, ".env. id_rsa"),
		strings.HasSuffix(base, ".env"),
		strings.HasPrefix(base, "client_secret") && strings.HasSuffix(base, ".json"),
		inStore(p, home),
		secretSystem(p),
		mayNameSecret(p, home):
		return true
	case strings.HasSuffix(fspath.Dir(p), "/.ssh"):
		return sshKey(base)
	}
	return keyFile(base)
}

// mayNameSecret reports whether a pattern of the shell matches the name of a hidden file with
// credentials, or of a store below the home.
func mayNameSecret(p, home string) bool {
	if !strings.ContainsAny(p, "*?[") {
		return false
	}
	dir, _ := fspath.GlobBase(p)
	hidden := func(_, name string) bool { return name[0] == '.' && isNamedBy(p, dir+"/"+name) }
	stored := func(_, name string) bool { return isNamedBy(p, home+"/"+name) }
	return lex.AnyWord("", secretFiles, hidden) || lex.AnyWord("", ".ssh .aws .kube "+secretStores, stored)
}

// isNamedBy reports whether a pattern matches a path, or something below it. As in a shell, a
// pattern for a hidden name begins with a dot.
func isNamedBy(pattern, p string) bool {
	parts, names := strings.Split(pattern, "/"), strings.Split(p, "/")
	if len(parts) < len(names) {
		return false
	}
	for i, name := range names {
		ok, _ := path.Match(parts[i], name)
		if !ok || strings.HasPrefix(name, ".") && !strings.HasPrefix(parts[i], ".") {
			return false
		}
	}
	return true
}

// committedStores are settings that projects commit, with the values left to the environment.
const committedStores = ".env.ci .env.defaults .env.development .env.test .env.vault .envrc .my.cnf .npmrc"

// Committed reports whether a file may hold secrets by its name, but is one that projects commit.
func Committed(p string) bool { return lex.OneOf(fspath.Base(p), committedStores) }

// keyFile reports whether a name is that of a file with a private key.
func keyFile(base string) bool {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 || strings.Contains(base, "pub") {
		return false
	}
	words := lex.VerbWords(base[:i])
	switch base[i+1:] {
	case "json":
		return lex.Mentions(base, "service-account service_account serviceaccountkey adminsdk gha-creds") ||
			lex.ContainsAny(words, "key keyfile creds credentials") && lex.ContainsAny(words, cloudWords)
	case "key", "p8", "p12", "pfx", "keystore", "jks", "ppk", "kdbx":
		return true
	case "pem":
		return lex.ContainsAny(words, "key priv private privkey") || !lex.ContainsAny(words, publicKeys)
	case "asc":
		return lex.ContainsAny(words, "key priv private secret sec")
	}
	return false
}

// sshKey reports whether a file of that name in an .ssh folder is a key.
func sshKey(base string) bool {
	switch {
	case lex.OneOf(base, knownSSH),
		lex.BeginsWith(base, "known_hosts authorized_keys config. agent"),
		lex.EndsWith(base, ".sock .d"):
		return false
	}
	return true
}

// settingsFolders are the folders in which other systems keep what lies in .config elsewhere.
var settingsFolders = [...]string{
	"/Library/Application Support/",
	"/Library/Preferences/",
	"/AppData/Roaming/",
	"/AppData/Local/",
}

// inStore reports whether a path is a store of credentials, or lies in one.
func inStore(p, home string) bool {
	for _, folder := range settingsFolders {
		if i := strings.Index(p, folder); i >= 0 {
			p = p[:i] + "/.config/" + p[i+len(folder):]
			break
		}
	}
	if below, ok := strings.CutPrefix(p, strings.TrimSuffix(home, "/")+"/"); ok && lex.OneOf(below, homeStores) {
		return true
	}
	for from := 0; ; {
		i := strings.Index(p[from:], "/.")
		if i < 0 {
			return false
		}
		from += i + 1
		if storeAt(p[from:]) {
			return true
		}
	}
}

// storeAt reports whether a path below a home is a store, or lies in one.
func storeAt(below string) bool {
	for end := 1; end < len(below); end++ {
		if below[end] == '/' && lex.OneOf(below[:end], secretStores) {
			return true
		}
	}
	return lex.OneOf(below, secretStores)
}

// HoldsSecret reports whether a path is a file with credentials, or the folder of a tool that
// keeps its credentials in it.
func HoldsSecret(p, home string) bool {
	if SecretPath(p, home) {
		return true
	}
	i := strings.LastIndex(p, "/.")
	return i >= 0 && !lex.OneOf(p[i+1:], ".config .cache .local .local/share") &&
		strings.Contains(" "+secretStores, " "+p[i+1:]+"/")
}

func secretSystem(p string) bool {
	base := fspath.Base(p)
	switch {
	case strings.HasPrefix(p, "/proc/") && base == "environ",
		lex.BeginsWith(p, "/run/secrets/ /var/run/secrets/ /etc/ssl/private/"),
		lex.OneOf(p, "/etc/gshadow /etc/kubernetes/admin.conf /etc/rancher/k3s/k3s.yaml /etc/shadow /etc/sudoers"),
		lex.OneOf(base, ".ssh .aws .gnupg .kube"),
		strings.Contains(p, "/Library/Keychains"):
		return true
	case fspath.Dir(p) == "/etc/wireguard":
		return strings.HasSuffix(base, ".conf")
	}
	return strings.Contains(p, "/.ssh/") && (strings.Contains(base, "*") || strings.HasSuffix(p, "key"))
}

// isTemplate reports whether a name is that of a public key, or says that the
// file holds no real values, as .env.example and sample.env do.
func isTemplate(base string) bool {
	switch {
	case !strings.Contains(base, "."):
		return false
	case strings.HasSuffix(base, ".pub"):
		return true
	}
	return lex.ContainsAny(strings.Split(base, "."), "example sample template schema defaults dist tpl")
}

// SecretName reports whether a variable of that name usually holds a secret.
func SecretName(name string) bool {
	n := strings.ToUpper(name)
	return !lex.EndsWith(n, "_FILE _PATH _NAME") &&
		lex.Mentions(n, "SECRET PASSWORD PASSWD TOKEN API_KEY APIKEY PRIVATE_KEY ACCESS_KEY CREDENTIALS")
}
