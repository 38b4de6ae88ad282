package wording

import "github.com/afar-sh/afar/coordinator/wire"

// Silence says what happens in a project that asks for silence.
func Silence(v wire.Silence) string {
	if v.Heard {
		return "you have Afar work there all the same"
	}
	return "only the guard works there; `afar resume --project` ends that"
}
