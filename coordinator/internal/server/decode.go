package server

import (
	"github.com/afar-sh/afar/coordinator/guard/hostjson"
)

// maxNesting leaves room for a call around a hook's input.
const maxNesting = hostjson.MaxDepth + 8

// parse parses the body of a request. A hook's input is part of it and is not parsed
// again.
func parse(body []byte) (hostjson.Value, error) {
	v, err := hostjson.ParseLenient(string(body), maxNesting)
	if err != nil || !v.IsObject() {
		return hostjson.Value{}, hostjson.ErrNotObject
	}
	return v, nil
}

// payload returns the hook's input in a request. As in every object, the last of two
// members with the same name counts.
func (c *call) payload() (input hostjson.Value) {
	for name, v := range c.parsed.Members() {
		if name == "payload" {
			input = v
		}
	}
	return input
}

// payloads decodes the input of hooks.
var payloads = hostjson.NewDecoder[payload]()

// decode parses the body of a call and decodes it into its request.
func decode[Request any](c *call, d hostjson.Decoder[Request]) (in Request, err error) {
	if c.parsed, err = parse(c.body); err != nil {
		return in, err
	}
	return d.Decode(c.parsed)
}
