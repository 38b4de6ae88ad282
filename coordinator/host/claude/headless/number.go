package headless

import (
	"math"
	"strconv"

	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// maxNumber bounds what the client may report as used.
const maxNumber = 1e15

// number returns a number that is not negative, 0 for any other value.
func number(v hostjson.Value) float64 {
	if v.Kind() != hostjson.Number {
		return 0
	}
	n, err := strconv.ParseFloat(v.Raw(), 64)
	if err != nil || math.IsNaN(n) {
		return 0
	}
	return min(max(n, 0), maxNumber)
}
