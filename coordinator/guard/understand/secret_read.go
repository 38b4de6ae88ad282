package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

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
	if hasMark(stdin(c), partial.HoleSecret) {
		sh.Print(partial.UnknownSecret)
	}
	sh.Print(partial.Unknown)
}

// keyTool reports a private key that ssh-keygen reads.
func keyTool(sh *shell.Shell, c shell.Command, o shell.Options) {
	if file, ok := o.Get("f"); ok && (o.Given("y e p")) {
		showsFiles(sh, []string{file})
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
