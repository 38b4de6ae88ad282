package server

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOperationsHaveTheirTypes checks that the handler of wire.OpX takes a wire.XRequest and
// returns a wire.XReply, and that each operation of wire has a row.
func TestOperationsHaveTheirTypes(t *testing.T) {
	rows, handlers := map[string]string{}, map[string]*ast.FuncType{}
	for _, f := range parsed(t, "*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if call, ok := n.Value.(*ast.CallExpr); ok && len(call.Args) == 2 {
					rows[strings.TrimPrefix(selected(n.Key), "Op")] = selected(call.Args[1])
				}
			case *ast.FuncDecl:
				handlers[n.Name.Name] = n.Type
			}
			return true
		})
	}
	for _, op := range operationsOfWire(t) {
		handler := handlers[rows[op]]
		if handler == nil || len(handler.Params.List) != 2 || handler.Results == nil {
			t.Errorf("wire.Op%s has no handler that takes a call and a request", op)
			continue
		}
		request, reply := selected(handler.Params.List[1].Type), selected(handler.Results.List[0].Type)
		if request != op+"Request" || reply != op+"Reply" {
			t.Errorf("wire.Op%s: %s takes %s and returns %s", op, rows[op], request, reply)
		}
	}
}

// operationsOfWire returns the names of the operations of package wire, without Op.
func operationsOfWire(t *testing.T) (names []string) {
	t.Helper()
	for _, f := range parsed(t, "../../wire/*.go") {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Op") {
				names = append(names, strings.TrimPrefix(v.Names[0].Name, "Op"))
			}
			return true
		})
	}
	if len(names) < 60 {
		t.Fatalf("package wire has only %d operations", len(names))
	}
	return names
}

func parsed(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// selected returns the name after the dot of an expression, or "".
func selected(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
