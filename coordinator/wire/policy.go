package wire

// OpPolicyTrust accepts a project's policy file, or takes that back. It takes
// and replies a PolicyTrust.
const OpPolicyTrust = "policy.trust"

// A PolicyTrust names a project's policy file with the content that the person
// saw.
type PolicyTrust struct {
	Path    string   `json:"path"`
	Hash    string   `json:"hash,omitempty"` // sha256 of the content, in hex
	Forget  bool     `json:"forget,omitempty"`
	Trusted bool     `json:"trusted"`       // of the reply
	Off     []string `json:"off,omitempty"` // of the reply: rules that no longer ask
}
