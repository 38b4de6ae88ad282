package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/schema"
)

// verdicts is a schema with each kind of value that a question uses.
var verdicts = schema.Object(map[string]schema.Schema{
	"items": schema.Array(schema.Object(map[string]schema.Schema{
		"id":   schema.Text(5, "which one"),
		"what": schema.OneOf("keep", "drop"),
		"sure": schema.YesOrNo(),
	}), 2),
})

const fits = `{"items":[{"id":"a","what":"keep","sure":true}]}`

func TestCheck(t *testing.T) {
	for raw, want := range map[string]string{
		fits:                    "",
		`{"items":[]}`:          "",
		` {"items":[]} ` + "\n": "",
		``:                      "it is not JSON",
		`{"items":[`:            "it is not JSON",
		"{\"items\":[]}\xff":    "it is not UTF-8",
		`null`:                  `want "object"`,
		`[]`:                    `want "object"`,
		`{}`:                    `missing properties: ["items"]`,
		`{"items":null}`:        `/properties/items: type`,
		`{"items":{}}`:          `/properties/items: type`,
		`{"items":[],"x":1}`:    `unexpected additional properties ["x"]`,
		`{"items":[]} {}`:       "more follows the JSON value",
		`{"items":[1]}`:         `/items: type: 1`,
		`{"items":[{"id":"a","what":"keep","sure":"yes"}]}`:                 `/sure: type`,
		`{"items":[{"id":"a","what":"burn","sure":true}]}`:                  `/what: enum: burn`,
		`{"items":[{"id":"abcdef","what":"keep","sure":true}]}`:             `/id: maxLength`,
		`{"items":[{"id":7,"what":"keep","sure":true}]}`:                    `/id: type`,
		`{"items":[` + strings.Repeat(fits[10:len(fits)-2]+",", 2) + `{}]}`: `missing properties`,
	} {
		err := schema.Check(verdicts, []byte(raw))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; want %q", raw, err, want)
		}
	}
}

// FuzzCheck checks that what fits can be decoded into the form that the schema describes.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(fits))
	f.Add([]byte(`{"items":[{"id":"a","what":"burn"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if err := schema.Check(verdicts, raw); err != nil {
			return
		}
		var v struct {
			Items []struct {
				ID, What string
				Sure     bool
			}
		}
		if err := json.Unmarshal(raw, &v); err != nil || len(v.Items) > 2 {
			t.Errorf("%q fits, but %v, %+v", raw, err, v)
		}
	})
}
