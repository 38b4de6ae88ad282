package wire

// OpRetry asks whether a call that auto mode refused before may now run.
const OpRetry Op[RetryRequest, AskState] = "hook.retry"

// RetryRequest names the call in its payload.
type RetryRequest struct{ HookCall }
