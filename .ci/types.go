// Command types checks the types of all packages of this module, their tests included, for the systems that its
// arguments name (windows/amd64). Everything is read from source and nothing is compiled, in a tenth of the time.
package main

import (
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	for _, platform := range os.Args[1:] {
		system, processor, _ := strings.Cut(platform, "/")
		check(append(os.Environ(), "GOOS="+system, "GOARCH="+processor))
	}
}

// check ends the program where a package does not type-check.
func check(env []string) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesSizes,
		Tests: true,
		Env:   env,
	}, "./...")
	if err != nil {
		log.Fatal(err)
	}
	if len(loaded) == 0 || packages.PrintErrors(loaded) > 0 {
		os.Exit(1)
	}
}
