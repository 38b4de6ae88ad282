package appserver

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/hostjson"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/jsonrpc"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// quiet are the notifications that say nothing about the turn, or what others say too.
var quiet = []string{
	"account/rateLimits/updated", "account/updated", "app/list/updated", "hook/started",
	"item/commandExecution/outputDelta", "item/commandExecution/terminalInteraction", "item/fileChange/outputDelta",
	"item/fileChange/patchUpdated", "item/mcpToolCall/progress", "item/reasoning/summaryPartAdded",
	"mcpServer/startupStatus/updated", "model/verification", "project/changed", "remoteControl/status/changed",
	"serverRequest/resolved", "skills/changed", "thread/closed", "thread/environment/connected", "thread/goal/cleared",
	"thread/goal/updated", "thread/name/updated", "thread/project/updated", "thread/queue/changed",
	"thread/readState/changed", "thread/settings/updated", "thread/started", "thread/status/changed",
	"turn/diff/updated", "turn/moderationMetadata", "turn/plan/updated",
}

// notice takes a notification.
func (t *talk) notice(m jsonrpc.Message, line string) host.Step {
	v := m.Params
	switch m.Method {
	case "turn/started":
		if t.subagent(v) != "" {
			return host.Step{}
		}
		return t.begun(v.Get("turn.id").Str())
	case "turn/completed":
		return t.completed(v)
	case "item/started":
		return t.itemStarted(v)
	case "item/completed":
		return t.itemCompleted(v)
	case "thread/tokenUsage/updated":
		return t.usage(v)
	case "error":
		return events(run.Event{Kind: run.Error, Text: host.Clip(said(v.Get("error"))), Of: t.subagent(v)})
	case "warning", "configWarning", "guardianWarning", "deprecationNotice":
		return events(run.Event{Kind: run.Error, Text: host.Clip(warning(v))})
	}
	if slices.Contains(quiet, m.Method) {
		return host.Step{}
	}
	return host.Raw(line)
}

// said returns what an error says.
func said(e hostjson.Value) string {
	return strings.TrimSpace(e.Get("message").Str() + " " + e.Get("additionalDetails").Str())
}

func warning(v hostjson.Value) string {
	return strings.TrimSpace(cmp.Or(v.Get("message").Str(), v.Get("summary").Str()) + " " + v.Get("details").Str())
}

// subagent names the conversation of a notification, "" for the agent's own one.
func (t *talk) subagent(v hostjson.Value) string {
	if id := v.Get("threadId").Str(); id != t.thread {
		return id
	}
	return ""
}

// completed ends a prompt. What a subagent has not done yet is lost.
func (t *talk) completed(v hostjson.Value) host.Step {
	if t.subagent(v) != "" {
		return host.Step{}
	}
	t.current = ""
	e := run.Event{Kind: run.Result, Text: t.said, Failed: true}
	switch status := v.Get("turn.status").Str(); status {
	case "completed":
		e.Failed = false
	case "interrupted":
		e.Text = "interrupted"
	default:
		problem := v.Get("turn.error")
		e.Text = host.Clip(cmp.Or(said(problem), "codex ended the turn as "+strconv.Quote(status)))
		e.Final = final(problem.Get("codexErrorInfo"))
	}
	return events(e)
}

// finals are the errors that another try would not change.
var finals = []string{
	"badRequest", "contextWindowExceeded", "cyberPolicy", "inferenceHookDenied", "misalignmentPolicyViolation",
	"modelNotFound", "sessionBudgetExceeded", "unauthorized", "usageLimitExceeded",
}

// refusedBy are the answers of a provider that another try would not change.
var refusedBy = []string{"400", "401", "402", "403", "404", "413"}

// final reports whether another try would not change an error. The kind of an error is a word,
// or an object whose one member may have the provider's answer.
func final(kind hostjson.Value) bool {
	for _, about := range maps.Collect(kind.Members()) {
		return slices.Contains(refusedBy, about.Get("httpStatusCode").Raw())
	}
	return slices.Contains(finals, kind.Str())
}

// usage reports what the conversation has used, and how full it is.
func (t *talk) usage(v hostjson.Value) host.Step {
	if t.subagent(v) != "" {
		return host.Step{}
	}
	used := v.Get("tokenUsage")
	s := events(run.Event{
		Kind:  run.Usage,
		Total: run.Cost{Tokens: number(used.Get("total.totalTokens"))},
		Whole: true,
	})
	window := number(used.Get("modelContextWindow"))
	if window == 0 {
		return s
	}
	full := 100 * number(used.Get("last.totalTokens")) / window
	return s.And(events(run.Event{Kind: run.Context, Text: strconv.FormatInt(full, 10) + "% full"}))
}

// maxNumber bounds what codex may report as used.
const maxNumber = 1e15

// number returns a whole number that is not negative, 0 for any other value.
func number(v hostjson.Value) int64 {
	n, err := strconv.ParseInt(v.Raw(), 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		return 0
	}
	return n
}
