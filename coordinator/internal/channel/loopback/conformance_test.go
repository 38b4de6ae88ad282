package loopback_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/channel/conformance"
	"github.com/afar-sh/afar/coordinator/internal/channel/loopback"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, func(t testing.TB) conformance.Subject { return loopback.NewSubject(t) })
}
