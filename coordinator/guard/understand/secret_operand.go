package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// usesSecrets are programs of no table that use a credential as it is meant to be used, or
// that show nothing of it.
const usesSecrets = "ssh-add keytool jarsigner apksigner cosign mkcert step certbot certtool dotenv dotenvx " +
	"dotenv-linter direnv foreman honcho overmind hivemind shellcheck detect-secrets ggshield " +
	"git-crypt git-secret blackbox transcrypt rage minisign signify codesign osslsigncode sbsign " +
	"md5sum md5 sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum " +
	"du touch attrib getfacl setfacl chattr lsattr chcon restorecon xattr mdls open xdg-open trash gio " +
	"pre-commit lsof inotifywait entr watchexec yamllint jsonlint editorconfig-checker"

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
