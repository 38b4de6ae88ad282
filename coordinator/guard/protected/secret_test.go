package protected

import (
	"testing"
)

func TestSecretPath(t *testing.T) {
	for p, want := range map[string]bool{
		"/p/.env": true, "/p/.env.local": true, "/p/.env.example": false, "/p/example.env": false,
		"/h/.ssh/id_rsa": true, "/h/.ssh/id_rsa.pub": false, "/h/.ssh/known_hosts": false, "/h/.aws/credentials": true,
		"/p/server.pem": true, "/p/main.go": false, "/p/tokens.go": false, "/proc/1/environ": true, "/p/key.ts": false,
	} {
		if got := SecretPath(p, "/h"); got != want {
			t.Errorf("secretPath(%s) = %v", p, got)
		}
	}
}
