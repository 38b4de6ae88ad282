package wire

// OpDoctor asks for the coordinator's findings about itself.
const OpDoctor Op[None, DoctorReply] = "doctor"

// DoctorReply lists findings.
type DoctorReply struct {
	Checks []Check `json:"checks"`
}

// A Check is one finding. State is ok, off (not configured yet) or bad.
type Check struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}
