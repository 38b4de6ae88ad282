package wire

// OpPolicyTrust accepts a project's policy file, or takes that back.
const OpPolicyTrust Op[PolicyTrustRequest, PolicyTrustReply] = "policy.trust"

// PolicyTrustRequest names a project's policy file with the content that the person
// saw.
type PolicyTrustRequest struct {
	Path   string `json:"path"`
	Hash   string `json:"hash,omitempty"` // SHA-256 of the content in hex
	Forget bool   `json:"forget,omitempty"`
}

// PolicyTrustReply says whether the file is trusted now.
type PolicyTrustReply struct {
	Path    string   `json:"path"`
	Hash    string   `json:"hash,omitempty"`
	Trusted bool     `json:"trusted"`
	Off     []string `json:"off,omitempty"` // rules that no longer ask
}
