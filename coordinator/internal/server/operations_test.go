package server

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestOperationsHaveRows checks that each operation of wire has a row. The compiler compares their types.
func TestOperationsHaveRows(t *testing.T) {
	files, err := filepath.Glob("../../wire/*.go")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	declared := regexp.MustCompile(`\bOp\w+ +Op\[\w+, \w+\] += "([\w.-]+)"`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			if named++; operations[m[1]].do == nil {
				t.Errorf("%s: the operation %q has no row", file, m[1])
			}
		}
	}
	if named != len(operations) {
		t.Errorf("package wire has %d operations, and the table has %d rows", named, len(operations))
	}
}
