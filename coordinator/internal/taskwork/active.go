package taskwork

import (
	"errors"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// Active returns the tasks of persons that are not over, with what their files say. A file that
// cannot be read is in the error, and the others are returned all the same.
func Active(c *feature.Core, folders Folders) (all []task.Active, err error) {
	for _, t := range c.Tasks() {
		s, failed := folders.State(t.Slug)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		if !s.Status.Over() && s.Status != task.Unknown {
			all = append(all, task.Active{Slug: t.Slug, State: s})
		}
	}
	return all, err
}
