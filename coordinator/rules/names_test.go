package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// longList is how many names a list of the guard may have in any order.
const longList = 4

// TestNamesSorted: a longer list that the guard looks a name up in is sorted and says no name twice, so that a reader
// finds a name and sees what a change adds.
func TestNamesSorted(t *testing.T) {
	tree := os.DirFS(moduleRoot(t))
	lists, constants, looked := 0, map[string]ast.Expr{}, map[string]bool{}
	files := token.NewFileSet()
	check := func(e ast.Expr) {
		text, ok := textOf(e)
		names := strings.Fields(text)
		if !ok || len(names) <= longList {
			return
		}
		lists++
		if sorted := slices.Compact(slices.Sorted(slices.Values(names))); !slices.Equal(names, sorted) {
			t.Errorf("%s: the names are not sorted, want %q", files.Position(e.Pos()), strings.Join(sorted, " "))
		}
	}
	err := fs.WalkDir(tree, "coordinator/guard", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(files, name, text, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if len(n.Values) == 1 {
					constants[path.Dir(name)+"."+n.Names[0].Name] = n.Values[0]
				}
			case *ast.CallExpr:
				if list := lookedUp(n); list != nil {
					if named, ok := list.(*ast.Ident); ok {
						looked[path.Dir(name)+"."+named.Name] = true
					}
					check(list)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range looked {
		check(constants[name])
	}
	if lists < 100 {
		t.Errorf("%d lists were found, want at least 100", lists)
	}
}

// lookedUp returns the list that a call of OneOf takes, nil for another call.
func lookedUp(call *ast.CallExpr) ast.Expr {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if name != "OneOf" || len(call.Args) != 2 {
		return nil
	}
	return call.Args[1]
}

// textOf returns the text of a literal, or of several that are joined. It returns false for anything else.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		x, isText := textOf(e.X)
		y, isAlso := textOf(e.Y)
		return x + y, isText && isAlso
	}
	return "", false
}
