package door

import "github.com/afar-sh/afar/coordinator/guard/hostjson"

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

// decode parses the body of a call and decodes it into its request.
func decode[Request any](c *Call, d hostjson.Decoder[Request]) (in Request, err error) {
	if c.parsed, err = parse(c.body); err != nil {
		return in, err
	}
	return d.Decode(c.parsed)
}
