package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// Programs that show what lies in a file without being made for it. Most files
// are nobody's business: only credentials are reported.

// showsFiles reports credentials among the files that a program prints.
func showsFiles(sh *shell.Shell, files []string) {
	for _, f := range files {
		if holdsSecret(sh, f) {
			sh.Print(sh.Read(f))
		}
	}
}

func holdsSecret(sh *shell.Shell, file string) bool {
	return sh.Place.Away == "" && protected.SecretPath(sh.Path(file), sh.Place.Home)
}

// dataQuery is jq or yq: an expression, then files.
func dataQuery(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "f L indent from-file arg argjson slurpfile rawfile p o")
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
	showsFiles(sh, files)
	quiet(sh, c)
}

// keyTool is ssh-keygen, which prints what belongs to a private key.
func keyTool(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "f t b C N P m I n V O")
	if file, ok := o.Get("f"); ok && (o.Exact("y", "e", "p")) {
		showsFiles(sh, []string{file})
	}
}

// opened reports credentials that an editor opens.
func opened(sh *shell.Shell, c shell.Command) {
	if lex.OneOf(c.Name, "nano pico vim vi nvim emacs micro hx helix code subl ed ex joe kak") {
		showsFiles(sh, shell.ParseOptions(c.Args, "c u S T").Pos)
	}
}

// fetched reports what a client of the network fetches from this machine or its
// cloud: a local file by its URL, the credentials of the machine itself.
func fetched(sh *shell.Shell, urls []string) {
	for _, u := range urls {
		if file, ok := strings.CutPrefix(strings.ToLower(u), "file://"); ok {
			showsFiles(sh, []string{u[len(u)-len(strings.TrimPrefix(file, "localhost")):]})
		}
		if web.MetadataURL(u) {
			sh.Effect(effect.RevealSecret, effect.MachineCredentials, u)
		}
	}
}
