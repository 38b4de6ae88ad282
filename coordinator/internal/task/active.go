package task

// An Active task is one that is not over, and what its file says.
type Active struct {
	Slug  Slug
	State State
}
