package guard

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOpsAreConstants checks that reading and judging use constants for the names of
// operations, because the compiler does not check a literal.
func TestOpsAreConstants(t *testing.T) {
	written, read := effectNames(t, "understand"), effectNames(t, "judge")
	for name := range read {
		if !written[name] && !declaredType(name) {
			t.Errorf("a rule reads effect.%s, and nothing that is understood has it", name)
		}
	}
	if len(written) < 100 || len(read) < 60 {
		t.Errorf("only %d names are written and %d read", len(written), len(read))
	}
}

// declaredType lists the types of package effect that only judging names.
func declaredType(name string) bool { return name == "Understood" || name == "Op" || name == "Step" }

// effectNames returns the names of package effect that a folder uses. It fails for a literal
// in place of an operation.
func effectNames(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "effect" {
					found[n.Sel.Name] = true
				}
			case *ast.CallExpr:
				if op := literalOp(n); op != nil && op.Value != `""` {
					t.Errorf("%s: %s is no constant of package effect", set.Position(op.Pos()), op.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// literalOp returns the literal that a call reports as an operation, or nil.
func literalOp(call *ast.CallExpr) *ast.BasicLit {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 3 || fn.Sel.Name != "Effect" && fn.Sel.Name != "Possible" {
		return nil
	}
	lit, _ := call.Args[1].(*ast.BasicLit)
	return lit
}
