package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, "testdata"); err != nil {
		t.Fatal(err)
	}
	want := "3 documents, 4 questions, 5 results each\n" +
		"documents     hit 0.750  recall 0.625\n" +
		"single lines  hit 0.500  recall 0.500\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("have\n%swant\n%s", out.String(), want)
	}
	for name, text := range map[string]string{"missing": "", "empty": "{}", "broken": "{}\n{"} {
		dir := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(dir, "documents.jsonl"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := run(&out, dir); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
