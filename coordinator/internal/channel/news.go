package channel

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A News is something that the person is told, as a value. Words makes its text, when a channel sends it.
type News struct {
	Kind NewsKind `json:"kind,omitempty"` // "" for a Text that somebody else has written
	Of   string   `json:"of,omitempty"`   // who or what it is about
	What string   `json:"what,omitempty"`
	Why  string   `json:"why,omitempty"`
	N    int      `json:"n,omitempty"`
	Text string   `json:"text,omitempty"`
}

// A NewsKind is what happened.
type NewsKind string

// sentences holds the words of each kind of news. {of}, {what}, {why} and {n} stand for its fields.
var sentences = map[NewsKind]string{}

func news(kind NewsKind, sentence string) NewsKind {
	sentences[kind] = sentence
	return kind
}

// The kinds of news, with their words.
var (
	Alarm       = news("alarm", "🚨 {of} {what}")
	Unprotected = news("unprotected", "⚠️ {of} runs without Afar's hooks: no guard, no questions here. It is in {what}. "+
		"Start it again with the plugin enabled, or see `afar doctor`.")
	DeniedAgain = news("denied", "⛔ {of} tried {what} {n} times. "+
		"The guard refused each, and told it to write down what it needs.")
	Warning    = news("warning", "⚠️ {of}: {what}")
	Entered    = news("entered", "⚠️ {of}: {what}")
	HostSays   = news("host", "🔔 {of}: {what}")
	LoopSays   = news("loop", "🔁 {of}: {what}")
	LoopDone   = news("loop-done", "✅ {of}: {what}")
	LoopFailed = news("loop-failed", "⚠️ {of}: {what}")
	LoopEnded  = news("loop-ended", "⏹ {of}: {what}")
	IssueSays  = news("issue", "🔁 {of}: {what}\n{why}")
	Missed     = news("missed", "📭 {of} ended before it took what you wrote. It gets it when it is resumed.")
	Halted     = news("halted", "⏹ {of} has stopped.")
	Unreviewed = news("unreviewed", "🔎 {of} stopped without alice's review of the last state. "+
		"It was sent back three times.")
	GateGivenUp = news("gate", "🔎 {of}: a review ended without a second opinion. The session was told not to count it.")
	Wrote       = news("wrote", "💬 {of}: {what}")

	LeftAuto = news("auto", "↩️ run {of}: {what}.")
	Lacks    = news("lacks", "🧩 run {of} worked without the tools of {what}")
	RunAnew  = news("anew", "🆕 run {of}: its agent cannot resume the conversation any more, so a new one begins. "+
		"It is told the newest texts and results. All of the earlier one: afar run log {what}")

	TriggerSays   = news("trigger", "⏰ {what}")
	TriggerMissed = news("trigger-missed", "⏰ Trigger {of} was due on {what}, when nothing ran. It did not fire. "+
		"If it still should: afar trigger fire {of}")
	TriggerHeld = news("trigger-held", "⏸ Trigger {of} does not fire any more: {why}. "+
		"If that is what you want: afar trigger on {of}")
	TriggerFailed = news("trigger-failed", "⚠️ Trigger {of} sent nothing: {why}")

	ModuleHeld = news("module-held", "⏸ Module {of} is disabled now: {why}. "+
		"If that is what you want: afar module enable {of}")
	ModuleGarbled = news("module-garbled", "⚠️ Module {of} printed a line that is no event: {why}. "+
		"See: afar module show {of}")
	ModuleEnds = news("module-ends", "⚠️ The source of module {of} ends again and again: {why}. "+
		"Afar goes on to start it. See: afar module show {of}")

	TaskNotStarted = news("task-not-started", "⚠️ Task {of} is made, and could not be started: {why}")
	TaskAdvice     = news("task-advice", "🔎 Task {of} is at rest. A model that read its state.md says:\n“{why}”\n"+
		choices)
	TaskOverdue = news("task-overdue", "⏰ Task {of} has waited for your answer for three days: {why}\n"+
		"Answer its question, or send the task your own words: afar send task:{what} TEXT")
	TaskDormant = news("task-dormant", "💤 Task {of} is in progress, but nothing has worked on it for two weeks.\n"+
		choices)
	TaskStuck = news("task-stuck", "🔁 Task {of} went on three times, and its state.md is the same as before. "+
		"Afar lets it rest.\n"+choices)

	MachineJoined = news("machine-joined", "🖥 {of} joined your fleet. Its fingerprint is {what}. "+
		"If that was not you: afar fleet remove {of}")
	MachinePutBack = news("put-back", "⚠️ {of} was put back to an earlier copy of its database. It goes on anew; "+
		"{n} orders that were under way are not sent again, because they may have been carried out.")
	MachineDoubled = news("machine-doubled", "🚨 Two machines speak with the key of {of}: one is a copy of the other. "+
		"Both are refused. Remove it here (afar fleet remove {of}), then let each join again by an invite of its own.")
	TwoHubs = news("two-hubs", "🚨 Two hubs speak with the key of {of}: one is a copy of the other. Both are refused. "+
		"On the copy: afar fleet leave. Then, on the other: afar stop.")
	OnItsWay        = news("on-its-way", "{what}, on its way to {of}.")
	WaitsForMachine = news("waits-for-machine", "{what}. {of} is not reachable since {why}: it counts when {of} is back, "+
		"if the question is still open then.")

	AnswersFrom = news("answers-from", "🔑 From now on {what}: `answers_from` in config.toml was changed.")
	Unproven    = news("unproven", "⚠️ Somebody wrote into Afar's database by hand: {of}. "+
		"It claims a decision of yours that the journal does not know, and does not count.")
	Refused  = news("refused", "⚠️ {why}. What is for you there waits. To mend it: {what}.")
	Repaired = news("repaired", "🩹 The database was damaged and is repaired. {n} things may have been done meanwhile "+
		"and are not done again, such as {what}. `afar log` lists them.")
	Mended      = news("mended", "🩹 The database was damaged and is repaired. `afar log` has more.")
	WritesAgain = news("writes", "💾 {what}")
	Redirected  = news("redirected", "⚠️ {of} tried to move Afar: {what}. That has no effect.")
	Silenced    = news("silence", "🔇 {of} asks for silence ({why}): Afar's guard works there, and nothing else of it; "+
		"no question comes from there. If you do not want that: `afar resume --project {of}`")
)

// choices says what the person can do with the task {what}, which is at rest.
const choices = "Let it go on: afar task start {what}. Leave it at rest: afar task stop {what}. " +
	"End it: afar task done {what}"

// Words returns the text of n.
func (n News) Words() string {
	if n.Kind == "" {
		return n.Text
	}
	fields := strings.NewReplacer("{of}", n.Of, "{what}", n.What, "{why}", n.Why, "{n}", strconv.Itoa(n.N))
	return fields.Replace(sentences[n.Kind])
}

// UnmarshalJSON reads also a text alone, which is how an earlier program kept news.
func (n *News) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*n = News{}
		return json.Unmarshal(raw, &n.Text)
	}
	type plain News
	return json.Unmarshal(raw, (*plain)(n))
}

// ReadNotice returns the notice of an action, with its Text.
func ReadNotice(data string) (n Notice, err error) {
	if err = json.Unmarshal([]byte(data), &n); err == nil && len(n.News) > 0 {
		n.Text = n.words()
	}
	return n, err
}

// words returns the news of a notice as one text. That of a single one is not changed.
func (n Notice) words() string {
	texts := make([]string, len(n.News))
	for i, one := range n.News {
		texts[i] = one.Words()
	}
	text := strings.Join(texts, "\n\n")
	if n.Left > 0 {
		log := "afar log"
		if n.Machine != "" {
			log = "afar --machine " + n.Machine + " log"
		}
		text += fmt.Sprintf("\n\n%d older ones are left out: `%s` has them all.", n.Left, log)
	}
	switch {
	case n.Quiet:
		return "🌅 While it was quiet:\n\n" + text
	case len(texts) > 1:
		return fmt.Sprintf("📚 %d at once:\n\n%s", len(texts)+n.Left, text)
	}
	return text
}
