package wire

// OpRetry asks whether a call that auto mode refused before may now run.
const OpRetry = "hook.retry"

// RetryRequest names the call in its payload.
type RetryRequest struct{ HookCall }

// RetryReply allows the call if Allow is true.
type RetryReply = AskState
