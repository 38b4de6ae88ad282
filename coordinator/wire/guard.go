package wire

// Operations of the guard.
const (
	OpGuarded Op[GuardedRequest, GuardedReply] = "hook.guarded" // the guard has judged a call
	OpOutcome Op[OutcomeRequest, None]         = "hook.outcome" // a call has run
	// OpConfigRefused says that the session does not load a changed settings file.
	OpConfigRefused Op[ConfigRefusedRequest, None] = "hook.config-refused"
)

// GuardedRequest says what the guard made of a call.
type GuardedRequest struct {
	HookCall
	Verdict string `json:"verb"`             // ask, deny, PolicyBroken or Bounded
	Rule    string `json:"rule,omitempty"`   // the rule's id
	Part    string `json:"part,omitempty"`   // the part of the command that the verdict is about
	From    string `json:"from,omitempty"`   // policy file and line that gave the verdict
	Broken  string `json:"broken,omitempty"` // what is wrong with the guard's policy files
}

// PolicyBroken, as a Verdict, says that the guard's policy files are broken.
const PolicyBroken = "broken"

// Bounded, as a Verdict, says that the guard asks, but not of a call behind a wall.
const Bounded = "bounded"

// GuardedReply holds what the hook adds: Context for the model, Notice for the person
// at the terminal.
type GuardedReply struct {
	Passes  bool   `json:"passes,omitempty"` // nobody has to be asked: of a Bounded call
	Context string `json:"context,omitempty"`
	Notice  string `json:"notice,omitempty"`
}

// OutcomeRequest reports the outcome of a call.
type OutcomeRequest struct {
	HookCall
	OK   bool   `json:"ok,omitempty"`   // the tool succeeded
	Kept string `json:"kept,omitempty"` // what the ledger says about the call: seen, deny or never
}

// ConfigRefusedRequest names the settings file, and why the session does not load its
// change.
type ConfigRefusedRequest struct {
	HookCall
	File string `json:"part"`
	Why  string `json:"why"`
}

// Guard says how hard it is to get past the guard.
type Guard struct {
	Grade string `json:"grade"`         // plain, held or locked
	Why   string `json:"why,omitempty"` // why it is not better, in words
	Mods  []Mod  `json:"mods"`          // enabled mods of other plugins that can overrule or silence a hook
}

// A Mod is a plugin's module that runs inside the client.
type Mod struct {
	ID     string   `json:"id"`
	Dir    string   `json:"dir"`
	Events []string `json:"events"` // the events with which it can overrule or silence a hook
}
