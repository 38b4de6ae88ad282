package noun

import (
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/wire"
)

// taskFiles returns the state.md of a task as it is, and lists the files beside it.
func (s *Server) taskFiles(_ *door.Call, slug task.Slug) (out wire.TaskFilesReply, err error) {
	state, unread := s.cfg.Tasks.State(slug)
	files, more, err := s.cfg.Tasks.Files(slug)
	out = wire.TaskFilesReply{
		Text:    state.Text,
		Base:    markdown.Digest(state.Text),
		TooLong: unread != nil || len(state.Text) > markdown.MaxEdit,
		More:    more,
	}
	out.Files = wire.List(files, func(f task.File) wire.TaskFile {
		return wire.TaskFile{Path: f.Path, Size: f.Size, At: wire.Millis(f.At)}
	})
	return out, err
}

// taskFile returns what a file holds that taskFiles lists.
func (s *Server) taskFile(_ *door.Call, in wire.TaskFileRequest) (out wire.TaskFileReply, err error) {
	slug, err := s.taskNamed(in.ID)
	if err != nil {
		return out, err
	}
	out.Data, err = s.cfg.Tasks.File(slug, in.Path)
	return out, err
}

// taskEdit saves the state.md that a person wrote in a form.
func (s *Server) taskEdit(c *door.Call, in wire.TaskEditRequest) (out wire.TaskEditReply, err error) {
	slug, err := s.taskNamed(in.ID)
	if err != nil {
		return out, err
	}
	if err := checkEdit(in.Text, "in "+s.cfg.Tasks.Dir(slug)); err != nil {
		return out, err
	}
	if out.Kept, err = s.cfg.Tasks.Edit(slug, in.Base, in.Text); err != nil {
		return out, err
	}
	what := "edited state.md"
	if out.Kept != "" {
		what = "edited state.md while it changed; the text is in " + out.Kept
	}
	if err := s.cfg.Core.NoteTask(slug, c.Decider()+" "+what); err != nil {
		return out, err
	}
	out.Task = s.wireTask(slug)
	return out, nil
}

// checkEdit refuses a text of a form that cannot become the file at where.
func checkEdit(text, where string) error {
	switch {
	case len(text) > markdown.MaxEdit:
		return door.BadRequest("the text has %d bytes; want at most %d: edit the file itself, %s", len(text),
			markdown.MaxEdit, where)
	case !utf8.ValidString(text):
		return door.BadRequest("the text must be UTF-8")
	}
	return nil
}

// taskKeep saves a file of a person among the artifacts of a task.
func (s *Server) taskKeep(c *door.Call, in wire.TaskKeepRequest) (out wire.TaskFile, err error) {
	slug, err := s.taskNamed(in.ID)
	if err != nil {
		return out, err
	}
	if out.Path, err = s.cfg.Tasks.Keep(slug, in.Name, in.Data); err != nil {
		return out, err
	}
	out.Size, out.At = int64(len(in.Data)), time.Now().UnixMilli()
	return out, s.cfg.Core.NoteTask(slug, c.Decider()+" gave it "+out.Path)
}
