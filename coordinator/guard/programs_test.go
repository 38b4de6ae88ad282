package guard

import (
	goflag "flag"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/judge"
	"github.com/afar-sh/afar/coordinator/guard/understand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// knownPrograms reads every word that the tables may know from the package's own source: the
// texts of cases and the words of lists.
func knownPrograms(t testing.TB) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	words := func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != gotoken.STRING {
			return true
		}
		text, _ := strconv.Unquote(lit.Value)
		for _, word := range strings.Fields(text) {
			if len(word) < 24 && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" {
				found[word] = true
			}
		}
		return true
	}
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err == nil {
			ast.Inspect(file, words)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var everyList = goflag.Bool(
	"guard-arguments", false, "each program with every list of odd arguments, not with a quarter of them")

// TestAnyProgramTakesAnyArguments checks that no arguments of any program make the guard
// panic: none, empty ones, flags without a value, a flag of every letter. A run tries a
// quarter of the lists for a program, another quarter for the next, and begins anywhere.
func TestAnyProgramTakesAnyArguments(t *testing.T) {
	odd := []string{
		"", "-", "--", "=", "-=", "--=", "x=", "/", "~", "..", ":", "{}", "+", "@", "%", "*", "''", "\x01",
		"-rf", "--x=y", "http://", "a:b", "run", "exec", "-c", "-e", "-i", "-o", "-f", "-C", "-D", "-I{}",
		";", "!x", "\\;",
	}
	lists := [][]string{nil}
	for _, a := range odd {
		lists = append(lists,
			[]string{a},
			[]string{a, a},
			[]string{"x", a},
			[]string{a, "x"},
			[]string{"-c", a},
			[]string{"run", a},
			[]string{a, "-rf", "/"},
		)
	}
	lists = append(lists, odd)
	every, from := 4, rand.IntN(4)
	if *everyList {
		every = 1
	}
	for name := range knownPrograms(t) {
		from++
		for i := from % every; i < len(lists); i += every {
			run(t, append([]string{name}, lists[i]...), nil)
		}
		run(t, append([]string{"bash", "-c"}, name), new(string))
		run(t, append([]string{"git", name}, odd...), nil)
	}
}

func run(t *testing.T, argv []string, in *string) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("%q: panic: %v", argv, r)
		}
	}()
	ctx := testContext()
	sh := understand.NewShell(bash(strings.Join(argv, " ")), siteOf(&ctx))
	sh.Src = &shell.Source{}
	sh.Exec(argv, in)
	judge.Decide(Call{}, effect.Understood{Effects: sh.Eval.Effects}, &ctx)
}
