package guard

import "strings"

// cleanPath removes ".", ".." and double slashes. A hole is an ordinary
// component: ".." after it cannot be resolved, so the result is unknown.
func cleanPath(p string) string {
	switch {
	case p == "":
		return "."
	case isClean(p):
		return p
	}
	rooted := p[0] == '/'
	var parts []string
	for rest, more := p, true; more; {
		var c string
		c, rest, more = strings.Cut(rest, "/")
		switch {
		case c == "" || c == ".":
		case c == ".." && len(parts) > 0 && parts[len(parts)-1] != "..":
			if hasHole(parts[len(parts)-1]) || parts[len(parts)-1] == "~" {
				return unknown
			}
			parts = parts[:len(parts)-1]
		case c == ".." && rooted:
		default:
			parts = append(parts, c)
		}
	}
	out := strings.Join(parts, "/")
	if rooted {
		return "/" + out
	}
	if out == "" {
		return "."
	}
	return out
}

// isClean is true of a path without any component that cleanPath takes away.
// Most are.
func isClean(p string) bool {
	for i := 0; i < len(p); {
		n := strings.IndexByte(p[i:], '/')
		if n < 0 {
			n = len(p) - i
		}
		c := p[i : i+n]
		if c == "" && i > 0 || c == "." || c == ".." {
			return false
		}
		i += n + 1
	}
	return p == "/" || p[len(p)-1] != '/'
}

// maxPath is what systems take.
const maxPath = 4096

// joinPath resolves a word against a directory.
func joinPath(dir, word string) string {
	if len(dir)+len(word) > maxPath {
		return unknown
	}
	switch {
	case word == "":
		return dir
	case word[0] == '/' || word[0] == '~':
		return cleanPath(word)
	case hasHole(word[:1]):
		return cleanPath(word)
	case isDrive(word):
		return slashed(word)
	case dir == "":
		return cleanPath(unknown + "/" + word)
	}
	for strings.HasPrefix(word, "./") {
		word = word[2:]
	}
	return cleanPath(dir + "/" + word)
}

// isDrive is true of a path that begins with a drive of Windows.
func isDrive(p string) bool { return len(p) > 1 && p[1] == ':' && isLetter(p[0]) }

// slashed is the one form that a path of Windows has here: C:/dir/file, in small
// letters, as case means nothing there. Other paths stay as they are.
func slashed(p string) string {
	if !isDrive(p) {
		return p
	}
	return cleanPath(strings.ToUpper(p[:1]) + ":/" + strings.ToLower(strings.ReplaceAll(p[2:], "\\", "/")))
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// within is true if path is dir or lies below it.
func within(path, dir string) bool {
	if dir == "" || path == "" {
		return false
	}
	if dir == "/" {
		return path[0] == '/'
	}
	return path == dir || len(path) > len(dir) && path[:len(dir)] == dir && path[len(dir)] == '/'
}

func baseName(p string) string {
	return p[strings.LastIndexByte(p, '/')+1:]
}

func dirName(p string) string {
	i := strings.LastIndexByte(p, '/')
	switch {
	case i < 0:
		return "."
	case i == 0:
		return "/"
	}
	return p[:i]
}

func hasGlob(s string) bool { return strings.ContainsAny(s, "*?[") }

// globBase takes the pattern off the end of a path: the directory that it
// matches in, and whether it matches everything there.
func globBase(p string) (base string, everything bool) {
	if !hasGlob(p) {
		return p, false
	}
	parts := strings.Split(p, "/")
	for i, c := range parts {
		if !hasGlob(c) {
			continue
		}
		base = strings.Join(parts[:i], "/")
		if base == "" {
			base = "/"
		}
		for _, rest := range parts[i:] {
			if !matchesAll(rest) {
				return base, false
			}
		}
		return base, true
	}
	return p, false
}

func matchesAll(component string) bool {
	switch strings.ReplaceAll(component, "**", "*") {
	case "*", ".*", "?*", ".[!.]*", "[!.]*", ".??*", "*.*", "{*,.*}":
		return true
	}
	return false
}

// secretFiles are base names that hold credentials wherever they lie.
const secretFiles = ".env .envrc .netrc _netrc .pgpass .my.cnf .pypirc .npmrc .vault-token .htpasswd .git-credentials " +
	"id_rsa id_dsa id_ecdsa id_ed25519 credentials.json secrets.json secrets.yaml secrets.yml secrets.toml " +
	"service-account.json service_account.json service_account_key.json service-account-key.json token.json master.key " +
	"terraform.tfstate shadow gshadow master.passwd wallet.dat .boto .s3cfg rclone.conf telegram.token kubeconfig credentials.tfrc.json " +
	"application_default_credentials.json access_tokens.db .credentials.json secring.gpg logins.json key4.db"

// secretTails are the places below a home where tools keep credentials.
const secretTails = ".aws/credentials .aws/config .kube/config .docker/config.json .gem/credentials .cargo/credentials " +
	".cargo/credentials.toml .config/gh/hosts.yml .config/gcloud/credentials.db .azure/accessTokens.json .azure/msal_token_cache.json .config/op/config " +
	".terraform.d/credentials.tfrc.json .config/hub .ssh/id_rsa .m2/settings.xml .gradle/gradle.properties .composer/auth.json " +
	".config/rclone/rclone.conf .local/share/keyrings .password-store .gnupg Library/Keychains " +
	".codex/auth.json .gemini/oauth_creds.json .config/glab-cli/config.yml .aws/sso/cache .aws/cli/cache .config/stripe/config.toml .config/doctl/config.yaml " +
	".fly/config.yml .railway/config.json .supabase/access-token .local/share/com.vercel.cli/auth.json .vercel/auth.json .config/pypoetry/auth.toml " +
	".config/configstore/firebase-tools.json .config/netlify/config.json .netlify/config.json .config/.wrangler/config .wrangler/config .config/containers/auth.json " +
	".config/gcloud/legacy_credentials .pulumi/credentials.json .databrickscfg .snowflake/connections.toml .config/neonctl/credentials.json .oci/config " +
	".cache/huggingface/token .huggingface/token .kaggle/kaggle.json .config/github-copilot/hosts.json .config/github-copilot/apps.json .config/sops/age/keys.txt"

// secretPath is true of files that hold keys, tokens or passwords. Templates
// and public keys are not secret.
func secretPath(p, home string) bool {
	base := strings.ToLower(baseName(p))
	if isTemplate(base) {
		return false
	}
	if oneOf(base, secretFiles) || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env") || strings.HasPrefix(base, "id_rsa") ||
		strings.HasPrefix(base, "client_secret") && strings.HasSuffix(base, ".json") || strings.HasPrefix(base, "id_") && strings.HasSuffix(dirName(p), "/.ssh") {
		return true
	}
	if i := strings.LastIndexByte(base, '.'); i > 0 && oneOf(base[i+1:], "pem key p12 pfx keystore jks ppk kdbx asc") {
		return !strings.Contains(base, "pub") && !oneOf(base, "ca.pem cacert.pem ca-bundle.pem ca-certificates.pem cert.pem certificate.pem chain.pem fullchain.pem")
	}
	return inSecretTails(p) || secretSystem(p)
}

func inSecretTails(p string) bool {
	if !strings.Contains(p, "/.") && !strings.Contains(p, "/Library/") {
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
	if strings.HasPrefix(p, "/proc/") && baseName(p) == "environ" {
		return true
	}
	if strings.HasPrefix(p, "/run/secrets/") || strings.HasPrefix(p, "/var/run/secrets/") {
		return true
	}
	if dirName(p) == "/etc/ssl/private" || oneOf(p, "/etc/shadow /etc/gshadow /etc/sudoers") {
		return true
	}
	if oneOf(baseName(p), ".ssh .aws .gnupg .kube") {
		return true
	}
	return strings.Contains(p, "/.ssh/") && (strings.Contains(baseName(p), "*") || strings.HasSuffix(p, "key"))
}

// isTemplate is true of public keys, and of names that say of themselves that
// they hold no values: .env.example, sample.env.
func isTemplate(base string) bool {
	first, rest, dotted := strings.Cut(base, ".")
	if !dotted || strings.HasSuffix(base, ".pub") {
		return dotted
	}
	for word, more := first, true; ; {
		if oneOf(word, "example sample template schema defaults dist tpl") {
			return true
		}
		if !more {
			return false
		}
		word, rest, more = strings.Cut(rest, ".")
	}
}

// secretName is true of variables that people keep secrets in.
func secretName(name string) bool {
	n := strings.ToUpper(name)
	if strings.HasSuffix(n, "_FILE") || strings.HasSuffix(n, "_PATH") || strings.HasSuffix(n, "_NAME") {
		return false
	}
	for _, w := range [...]string{"SECRET", "PASSWORD", "PASSWD", "TOKEN", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY", "CREDENTIALS"} {
		if strings.Contains(n, w) {
			return true
		}
	}
	return false
}
