package protected

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// secretFiles are the base names of files that hold credentials in any directory.
const secretFiles = ".env .envrc .netrc _netrc .pgpass .my.cnf .pypirc .npmrc .vault-token .htpasswd " +
	".git-credentials " +
	"id_rsa id_dsa id_ecdsa id_ed25519 credentials.json secrets.json secrets.yaml secrets.yml secrets.toml " +
	"service-account.json service_account.json service_account_key.json service-account-key.json token.json " +
	"master.key " +
	"terraform.tfstate shadow gshadow master.passwd wallet.dat .boto .s3cfg rclone.conf telegram.token " +
	"kubeconfig credentials.tfrc.json " +
	"application_default_credentials.json access_tokens.db .credentials.json secring.gpg logins.json key4.db"

// secretStores are the files and folders in which tools keep credentials, as paths below a
// home. A tool that keeps its settings elsewhere on another system has one entry: see settingsFolders.
const secretStores = ".aws/credentials .aws/config .aws/sso/cache .aws/cli/cache .azure/accessTokens.json " +
	".azure/msal_token_cache.json .azure/msal_token_cache.bin .azure/service_principal_entries.json " +
	".config/gcloud/credentials.db .config/gcloud/legacy_credentials .oci/config .oci/sessions .aliyun/config.json " +
	".bluemix/config.json .config/doctl/config.yaml .config/hcloud/cli.toml .config/linode-cli .linode-cli " +
	".config/scw/config.yaml .civo.json .vultr-cli.yaml .config/exoscale .config/cloudflared .cloudflared " +
	".kube/config .config/argocd/config .argocd/config .config/helm/registry/config.json " +
	".docker/config.json .config/containers/auth.json " +
	".fly/config.yml .railway/config.json .supabase/access-token .local/share/com.vercel.cli/auth.json " +
	".config/com.vercel.cli/auth.json .vercel/auth.json .config/netlify/config.json .netlify/config.json " +
	".config/.wrangler/config .wrangler/config .config/configstore/firebase-tools.json .config/neonctl/credentials.json " +
	".config/planetscale/access-token .config/turso/settings.json .render/cli.yaml .config/stripe/config.toml " +
	".twilio-cli/config.json .config/ngrok/ngrok.yml .ngrok2/ngrok.yml .expo/state.json .modal.toml .doppler " +
	".infisical .upstash.json " +
	".config/gh/hosts.yml .config/hub .config/glab-cli/config.yml .config/tea/config.yml .config/jira/.config.yml " +
	".config/github-copilot/hosts.json .config/github-copilot/apps.json " +
	".codex/auth.json .gemini/oauth_creds.json .qwen/oauth_creds.json .local/share/opencode/auth.json " +
	".local/share/amp/secrets.json .cache/huggingface/token .huggingface/token .kaggle/kaggle.json .config/wandb " +
	".pulumi/credentials.json .terraform.d/credentials.tfrc.json .databrickscfg .snowflake/connections.toml " +
	".snowsql/config .dbt/profiles.yml .mylogin.cnf .consul-token .nomad-token .config/op/config " +
	".gem/credentials .cargo/credentials .cargo/credentials.toml .m2/settings.xml .gradle/gradle.properties " +
	".composer/auth.json .config/composer/auth.json .config/pypoetry/auth.toml .local/share/uv/credentials " +
	".sbt/.credentials .ivy2/.credentials .hex/hex.config .nuget/NuGet/NuGet.Config " +
	".config/rclone/rclone.conf .mc/config.json .config/b2/account_info .b2_account_info .msmtprc .authinfo " +
	".config/filezilla/sitemanager.xml .purple/accounts.xml .local/share/atuin/key .config/sops/age/keys.txt " +
	".config/solana/id.json .ethereum/keystore .local/share/keyrings .password-store .gnupg"

// homeStores hold credentials only directly below the home: in a project they are settings.
const homeStores = ".bundle/config .yarnrc.yml .terraformrc .sentryclirc .lftprc .aider.conf.yml .config/pip/pip.conf"

// publicKeys are words in the names of files that hold certificates or public keys.
const publicKeys = "ca cacert cacerts cert certs certificate certificates chain fullchain bundle crt csr root " +
	"intermediate issuer trust truststore sig"

// knownSSH are the files of an .ssh folder that hold no key.
const knownSSH = "config rc environment allowed_signers"

// SecretPath reports whether a file holds keys, tokens or passwords. Templates
// and public keys are not secret.
func SecretPath(p, home string) bool {
	base := strings.ToLower(fspath.Base(p))
	switch {
	case isTemplate(base):
		return false
	case lex.OneOf(base, secretFiles),
		lex.BeginsWith(base, ".env. id_rsa"),
		strings.HasSuffix(base, ".env"),
		strings.HasPrefix(base, "client_secret") && strings.HasSuffix(base, ".json"),
		inStore(p, home),
		secretSystem(p):
		return true
	case strings.HasSuffix(fspath.Dir(p), "/.ssh"):
		return sshKey(base)
	}
	return keyFile(base)
}

// keyFile reports whether a name is that of a file with a private key.
func keyFile(base string) bool {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 || strings.Contains(base, "pub") {
		return false
	}
	words := lex.VerbWords(base[:i])
	switch base[i+1:] {
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
	return !lex.OneOf(base, knownSSH) && !lex.BeginsWith(base, "known_hosts authorized_keys config. agent") &&
		!lex.EndsWith(base, ".sock .d")
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
	switch base := fspath.Base(p); {
	case strings.HasPrefix(p, "/proc/") && base == "environ",
		lex.BeginsWith(p, "/run/secrets/ /var/run/secrets/ /etc/ssl/private/"),
		lex.OneOf(p, "/etc/shadow /etc/gshadow /etc/sudoers /etc/kubernetes/admin.conf /etc/rancher/k3s/k3s.yaml"),
		lex.OneOf(base, ".ssh .aws .gnupg .kube"),
		strings.Contains(p, "/Library/Keychains"):
		return true
	case fspath.Dir(p) == "/etc/wireguard":
		return strings.HasSuffix(base, ".conf")
	}
	return strings.Contains(p, "/.ssh/") && (strings.Contains(fspath.Base(p), "*") || strings.HasSuffix(p, "key"))
}

// isTemplate reports whether a name is that of a public key, or says that the
// file holds no real values, as .env.example and sample.env do.
func isTemplate(base string) bool {
	first, rest, dotted := strings.Cut(base, ".")
	if !dotted || strings.HasSuffix(base, ".pub") {
		return dotted
	}
	for word, more := first, true; ; {
		if lex.OneOf(word, "example sample template schema defaults dist tpl") {
			return true
		}
		if !more {
			return false
		}
		word, rest, more = strings.Cut(rest, ".")
	}
}

// SecretName reports whether a variable of that name usually holds a secret.
func SecretName(name string) bool {
	n := strings.ToUpper(name)
	if lex.EndsWith(n, "_FILE _PATH _NAME") {
		return false
	}
	for _, w := range [...]string{
		"SECRET",
		"PASSWORD",
		"PASSWD",
		"TOKEN",
		"API_KEY",
		"APIKEY",
		"PRIVATE_KEY",
		"ACCESS_KEY",
		"CREDENTIALS",
	} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
