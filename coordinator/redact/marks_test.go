package redact

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// FuzzMarks: a text in which a form matches has one of its marks.
func FuzzMarks(f *testing.F) {
	raw, err := os.ReadFile("testdata/credentials.json")
	var seeds []string
	if err == nil {
		err = json.Unmarshal(raw, &seeds)
	}
	if err != nil || len(seeds) == 0 {
		f.Fatalf("%d credentials, %v", len(seeds), err)
	}
	for _, s := range append(seeds, "A_ſECRET=hunter2 to\u212aen=hunter2") {
		s = strings.ReplaceAll(s, "FAKE", "Fake0Fake1Fake2Fake3Fake4Fake5Fake6Fake7")
		f.Add(s)
		f.Add(strings.ToUpper(s))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range forms {
			if form.MatchString(text) && !form.mayMatch(strings.ToLower(text)) {
				t.Errorf("%q matches %s and has none of %q", text, form, form.marks)
			}
		}
	})
}
