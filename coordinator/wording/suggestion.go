package wording

// Suggestion is the kind of an ask in which a task is suggested.
const Suggestion = "suggestion"
