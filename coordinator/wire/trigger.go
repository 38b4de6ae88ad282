package wire

// Operations of triggers.
const (
	OpTriggers Op[None, TriggersReply] = "triggers"
	OpTrigger  Op[Named, Trigger]      = "trigger"
	// OpTriggerNew returns the trigger with the secret of a webhook.
	OpTriggerNew Op[TriggerNewRequest, Trigger] = "trigger.new"
	// OpTriggerOn approves the file of a trigger as it is, and switches it on. It returns the secret of a
	// webhook that had none.
	OpTriggerOn  Op[Named, Trigger] = "trigger.on"
	OpTriggerOff Op[Named, Trigger] = "trigger.off"
	// OpTriggerRemove removes a trigger, its file and its secret. Its ledger stays.
	OpTriggerRemove Op[Named, None]                          = "trigger.remove"
	OpTriggerRotate Op[Named, Trigger]                       = "trigger.rotate"
	OpTriggerFire   Op[TriggerFireRequest, Firing]           = "trigger.fire"
	OpTriggerTest   Op[TriggerTestRequest, TriggerTestReply] = "trigger.test"
	OpTriggerLog    Op[TriggerLogRequest, TriggerLogReply]   = "trigger.log"
)

// The states of a trigger.
const (
	TriggerOn       = "on"
	TriggerOff      = "off"
	TriggerProposed = "proposed" // no person has approved its file as it is
	TriggerBroken   = "broken"   // its file cannot be understood
)

// A Trigger is a rule that sends a text to an address when something happens.
type Trigger struct {
	ID     string  `json:"id"` // its name, and that of its file
	Title  string  `json:"title"`
	State  string  `json:"state"`
	On     string  `json:"on"` // what makes it fire, as the file says
	To     string  `json:"to"`
	Auth   string  `json:"auth,omitempty"`
	Missed string  `json:"missed,omitempty"`
	Filter string  `json:"filter,omitempty"`
	Check  string  `json:"check,omitempty"`
	Until  int64   `json:"until,omitempty"` // from then on the check is run no more
	Agent  string  `json:"agent,omitempty"`
	Mode   string  `json:"mode,omitempty"`
	Model  string  `json:"model,omitempty"`
	Budget float64 `json:"budget_usd,omitempty"`
	Limit  int     `json:"limit,omitempty"`
	Prompt string  `json:"prompt"`
	File   string  `json:"file"`
	Fault  string  `json:"fault,omitempty"` // of the file, with its line
	Held   string  `json:"held,omitempty"`  // why it does not fire although it was on
	By     string  `json:"by,omitempty"`    // who approved it
	Next   int64   `json:"next,omitempty"`  // when it is due
	Last   int64   `json:"last,omitempty"`  // when it last fired
	Fired  int     `json:"fired"`
	// Secret is that of a webhook, in the reply that makes it alone. Hook is its path.
	Secret string `json:"secret,omitempty"`
	Hook   string `json:"hook,omitempty"`
}

// TriggersReply lists triggers by name.
type TriggersReply struct {
	Triggers []Trigger `json:"triggers"`
}

// TriggerNewRequest writes a rule, which is on at once. The fields are those of the file.
type TriggerNewRequest struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"` // "" is the name
	On     string `json:"on"`
	To     string `json:"to"`
	Auth   string `json:"auth,omitempty"`
	Missed string `json:"missed,omitempty"`
	Grace  string `json:"grace,omitempty"`
	Filter string `json:"filter,omitempty"`
	Check  string `json:"check,omitempty"`
	Until  string `json:"until,omitempty"`
	Agent  string `json:"agent,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Model  string `json:"model,omitempty"`
	Budget string `json:"budget,omitempty"`
	Dir    string `json:"dir,omitempty"`
	Limit  string `json:"limit,omitempty"`
	// Escalate is the address that its runs may write to.
	Escalate string `json:"escalate,omitempty"`
	Prompt   string `json:"prompt"`
}

// TriggerFireRequest makes a trigger fire now.
type TriggerFireRequest struct {
	Key     string `json:"key"` // made by the caller; a second request with the same key is the same firing
	ID      string `json:"id"`
	Payload string `json:"payload,omitempty"`
}

// TriggerTestRequest asks what a trigger would send for a payload.
type TriggerTestRequest struct {
	ID      string `json:"id"`
	Payload string `json:"payload,omitempty"`
}

// TriggerTestReply says what a trigger would send, and where.
type TriggerTestReply struct {
	Fires bool   `json:"fires"`
	Why   string `json:"why,omitempty"` // it would not
	To    string `json:"to"`
	Text  string `json:"text"`
}

// TriggerLogRequest asks for the ledger, of one trigger or of all.
type TriggerLogRequest struct {
	ID   string `json:"id,omitempty"`
	Last int    `json:"last,omitempty"` // how many lines, 0 for the usual number
}

// TriggerLogReply is the ledger, the oldest line first.
type TriggerLogReply struct {
	Firings []Firing `json:"firings"`
}

// A Firing is one line of the ledger: one instant of a trigger, and what came of it.
type Firing struct {
	ID      string `json:"id"`
	Trigger string `json:"trigger"`
	State   string `json:"state"` // due, fired, missed, dropped or failed
	At      int64  `json:"at"`    // when it was due, or came
	DoneAt  int64  `json:"done_at,omitempty"`
	Why     string `json:"why,omitempty"`
	By      string `json:"by,omitempty"`    // "" for the clock
	Count   int    `json:"count,omitempty"` // how many more instants this line stands for
	Bytes   int    `json:"bytes,omitempty"` // of the payload
	To      string `json:"to,omitempty"`
	Message string `json:"message,omitempty"`
}
