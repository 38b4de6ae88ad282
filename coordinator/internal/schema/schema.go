// Package schema says which JSON values fit, and checks that one does: the arguments of a tool,
// the answer of a model. The package is pure.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Schema says which JSON values fit. Its JSON is a JSON schema.
type Schema = *jsonschema.Schema

// Of returns the schema of a Go type: an object with the fields of T and no others. It panics if
// T has none, which a test of its caller finds.
func Of[T any]() Schema {
	s, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	return s
}

// Object fits an object that has all of these members and no others.
func Object(members map[string]Schema) Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Properties:           members,
		Required:             slices.Sorted(maps.Keys(members)),
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}, // false
	}
}

// Array fits an array of at most so many values.
func Array(of Schema, most int) Schema {
	return &jsonschema.Schema{Type: "array", Items: of, MaxItems: &most}
}

// Text fits a text of at most so many characters.
func Text(most int, description string) Schema {
	return &jsonschema.Schema{Type: "string", MaxLength: &most, Description: description}
}

// OneOf fits one of these texts.
func OneOf(words ...string) Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, word := range words {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// YesOrNo fits true and false.
func YesOrNo() Schema { return &jsonschema.Schema{Type: "boolean"} }

// Check returns an error unless raw is exactly one JSON value, and that value fits.
func Check(s Schema, raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	var v any
	if err := d.Decode(&v); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows the JSON value")
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return fmt.Errorf("the schema itself is wrong: %w", err)
	}
	if err := resolved.Validate(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "validating root: "))
	}
	return nil
}
