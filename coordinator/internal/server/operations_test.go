package server

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// TestOperationsHaveAManner checks that each operation which a person may ask for on a channel says how it becomes
// one with the update, and that one which reads is open to all.
func TestOperationsHaveAManner(t *testing.T) {
	for name, op := range operations {
		forHosts := slices.Contains([]access{hook, own, runner}, op.access)
		if changes := op.manner != reading; changes != (op.access != reader && !forHosts) {
			t.Errorf("%s has the access %d and the manner %d", name, op.access, op.manner)
		}
	}
}
