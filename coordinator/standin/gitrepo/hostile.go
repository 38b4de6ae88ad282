package gitrepo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// EachHostile runs a test on a repository for each way in which a repository can name a
// program. The test fails if that program ran. The file a.txt is changed and has the same
// length as before, so that git must read it.
func EachHostile(t *testing.T, do func(t *testing.T, dir string)) {
	for name, arm := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := Committed(t)
			proof := filepath.Join(t.TempDir(), "it-ran")
			evil := filepath.Join(t.TempDir(), "evil")
			Write(t, filepath.Dir(evil), "evil", "#!/bin/sh\ntouch "+proof+"\ncat\n")
			arm(t, dir, evil)
			Write(t, dir, "a.txt", "six\n")
			do(t, dir)
			if _, err := os.Stat(proof); err == nil {
				t.Error("it ran")
			}
		})
	}
}

var hostile = map[string]func(t *testing.T, dir, evil string){
	"file monitor": func(t *testing.T, dir, evil string) { Run(t, dir, "config", "core.fsmonitor", evil) },
	"hooks": func(t *testing.T, dir, evil string) {
		for _, hook := range []string{"post-index-change", "pre-commit", "reference-transaction", "post-checkout"} {
			Write(t, dir, ".git/hooks/"+hook, "#!/bin/sh\n"+evil+"\n")
		}
	},
	"hooks elsewhere": func(t *testing.T, dir, evil string) {
		Write(t, dir, "h/post-index-change", "#!/bin/sh\n"+evil+"\n")
		Run(t, dir, "config", "core.hooksPath", "h")
	},
	"clean filter":            func(t *testing.T, dir, evil string) { filter(t, dir, "clean", "x", evil) },
	"process filter":          func(t *testing.T, dir, evil string) { filter(t, dir, "process", "x", evil) },
	"filter with an odd name": func(t *testing.T, dir, evil string) { filter(t, dir, "clean", "x=y", evil) },
	"external diff":           func(t *testing.T, dir, evil string) { Run(t, dir, "config", "diff.external", evil) },
	"diff driver": func(t *testing.T, dir, evil string) {
		Write(t, dir, ".gitattributes", "* diff=x\n")
		Run(t, dir, "config", "diff.x.command", evil)
	},
	"text conversion": func(t *testing.T, dir, evil string) {
		Write(t, dir, ".gitattributes", "* diff=x\n")
		Run(t, dir, "config", "diff.x.textconv", evil)
	},
	"pager": func(t *testing.T, dir, evil string) {
		Run(t, dir, "config", "core.pager", evil)
		Run(t, dir, "config", "pager.status", evil)
	},
	"signatures": func(t *testing.T, dir, evil string) {
		signed := strings.Replace(
			Run(t, dir, "cat-file", "commit", "HEAD"), "\n\n",
			"\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n", 1,
		)
		Write(t, dir, ".git/signed", signed+"\n")
		Run(t, dir, "update-ref", "HEAD", Run(t, dir, "hash-object", "-t", "commit", "-w", ".git/signed"))
		Run(t, dir, "config", "log.showSignature", "true")
		Run(t, dir, "config", "gpg.program", evil)
	},
	"alias": func(t *testing.T, dir, evil string) { Run(t, dir, "config", "alias.status", "!"+evil) },
	"submodule": func(t *testing.T, dir, evil string) {
		sub := filepath.Join(dir, "sub")
		Run(t, dir, "init", "-q", "sub")
		Write(t, sub, "f", "one\n")
		Run(t, sub, "add", "f")
		Run(t, sub, "commit", "-q", "-m", "x")
		Run(t, dir, "-c", "advice.addEmbeddedRepo=false", "add", "sub")
		filter(t, sub, "clean", "x", evil)
		Write(t, sub, "f", "six\n")
		Run(t, sub, "config", "core.fsmonitor", evil)
	},
}

func filter(t *testing.T, dir, kind, name, evil string) {
	t.Helper()
	Write(t, dir, ".gitattributes", "* filter="+name+"\n")
	Run(t, dir, "config", "filter."+name+"."+kind, evil)
	Run(t, dir, "config", "filter."+name+".required", "true")
}
