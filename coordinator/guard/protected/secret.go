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

// secretTails are the places below a home where tools keep credentials.
const secretTails = ".aws/credentials .aws/config .kube/config .docker/config.json .gem/credentials " +
	".cargo/credentials " +
	".cargo/credentials.toml .config/gh/hosts.yml .config/gcloud/credentials.db .azure/accessTokens.json " +
	".azure/msal_token_cache.json .config/op/config " +
	".terraform.d/credentials.tfrc.json .config/hub .ssh/id_rsa .m2/settings.xml .gradle/gradle.properties " +
	".composer/auth.json " +
	".config/rclone/rclone.conf .local/share/keyrings .password-store .gnupg Library/Keychains " +
	".codex/auth.json .gemini/oauth_creds.json .config/glab-cli/config.yml .aws/sso/cache .aws/cli/cache " +
	".config/stripe/config.toml .config/doctl/config.yaml " +
	".fly/config.yml .railway/config.json .supabase/access-token .local/share/com.vercel.cli/auth.json " +
	".vercel/auth.json .config/pypoetry/auth.toml " +
	".config/configstore/firebase-tools.json .config/netlify/config.json .netlify/config.json " +
	".config/.wrangler/config .wrangler/config .config/containers/auth.json " +
	".config/gcloud/legacy_credentials .pulumi/credentials.json .databrickscfg .snowflake/connections.toml " +
	".config/neonctl/credentials.json .oci/config " +
	".cache/huggingface/token .huggingface/token .kaggle/kaggle.json .config/github-copilot/hosts.json " +
	".config/github-copilot/apps.json .config/sops/age/keys.txt"

// SecretPath reports whether a file holds keys, tokens or passwords. Templates
// and public keys are not secret.
func SecretPath(p, home string) bool {
	base := strings.ToLower(fspath.Base(p))
	if isTemplate(base) {
		return false
	}
	if lex.OneOf(base, secretFiles) || lex.BeginsWith(base, ".env. id_rsa") || strings.HasSuffix(base, ".env") ||
		strings.HasPrefix(base, "client_secret") && strings.HasSuffix(base, ".json") ||
		strings.HasPrefix(base, "id_") && strings.HasSuffix(fspath.Dir(p), "/.ssh") {
		return true
	}
	if i := strings.LastIndexByte(base, '.'); i > 0 && lex.OneOf(base[i+1:], "pem key p12 pfx keystore jks ppk "+
		"kdbx asc") {
		return !strings.Contains(base, "pub") && !lex.OneOf(base, "ca.pem cacert.pem ca-bundle.pem "+
			"ca-certificates.pem cert.pem certificate.pem chain.pem fullchain.pem")
	}
	return inSecretTails(p) || secretSystem(p)
}

func inSecretTails(p string) bool {
	if !lex.Mentions(p, "/. /Library/") {
		return false
	}
	for rest := secretTails; rest != ""; {
		var tail string
		tail, rest, _ = strings.Cut(rest, " ")
		if i := strings.Index(p, "/"+tail); i >= 0 && (len(p) == i+1+len(tail) || p[i+1+len(tail)] == '/') {
			return true
		}
	}
	return false
}

func secretSystem(p string) bool {
	if strings.HasPrefix(p, "/proc/") && fspath.Base(p) == "environ" {
		return true
	}
	if lex.BeginsWith(p, "/run/secrets/ /var/run/secrets/") {
		return true
	}
	if fspath.Dir(p) == "/etc/ssl/private" || lex.OneOf(p, "/etc/shadow /etc/gshadow /etc/sudoers") {
		return true
	}
	if lex.OneOf(fspath.Base(p), ".ssh .aws .gnupg .kube") {
		return true
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
