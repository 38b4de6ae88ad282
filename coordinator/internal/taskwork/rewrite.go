package taskwork

import "errors"

// mostReads bounds how often a file is read again that others write meanwhile.
const mostReads = 100

var errRestless = errors.New("others write the file again and again; try again later")

// rewrite replaces the text of a file with the result of change. An editor may save the file while
// change works: then change works again, on what the editor has saved.
func rewrite(read func() (string, error), change func(string) (string, error), write func(string) error) error {
	before, err := read()
	for range mostReads {
		if err != nil {
			return err
		}
		after, err := change(before)
		if err != nil || after == before {
			return err
		}
		now, err := read()
		if err != nil {
			return err
		}
		if now == before {
			return write(after)
		}
		before = now
	}
	return errRestless
}
