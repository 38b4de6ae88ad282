package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// issuesDir is where the files are, below the repository's top.
const issuesDir = ".afar/issues"

// files is the embedded tracker: one markdown file per issue. It reads and writes
// nothing outside the repository, even if the repository contains links.
type files struct {
	top string
	now func() time.Time
}

func newFiles(top string) *files { return &files{top: top, now: time.Now} }

func (f *files) Name() string { return "files" }

func (f *files) List(context.Context) ([]Issue, error) {
	all, err := f.all()
	return notOver(all), err
}

func (f *files) Ready(context.Context) ([]Issue, error) {
	all, err := f.all()
	return ready(all), err
}

func (f *files) Show(_ context.Context, id string) (Issue, error) {
	all, err := f.all()
	if err != nil {
		return Issue{}, err
	}
	return pick(all, idIn(id))
}

func (f *files) all() ([]Issue, error) {
	root, err := os.OpenRoot(f.top)
	if err != nil {
		return nil, fmt.Errorf("read issues: %w", err)
	}
	defer root.Close()
	return readAll(root)
}

// readAll returns all issues, over or not. It returns none if the directory does
// not exist.
func readAll(root *os.Root) ([]Issue, error) {
	entries, err := fs.ReadDir(root.FS(), issuesDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read issues: %w", err)
	}
	var all []Issue
	for _, e := range entries {
		if isIssue(e) {
			all = append(all, readIssue(root, e.Name()))
		}
	}
	markSameID(all)
	settle(all)
	return all, nil
}

// isIssue reports whether a directory entry is an issue: a markdown file that is
// neither hidden nor a README, which explains the directory to readers.
func isIssue(e fs.DirEntry) bool {
	name := e.Name()
	if e.IsDir() || strings.EqualFold(name, "README.md") {
		return false
	}
	return path.Ext(name) == ".md" && !strings.HasPrefix(name, ".")
}

// readIssue reads one file. If the file is faulty, Broken of the issue says why.
func readIssue(root *os.Root, name string) Issue {
	i := Issue{
		ID:       idOf(name),
		Title:    strings.TrimSuffix(name, ".md"),
		Status:   StatusOpen,
		Priority: defaultPriority,
		Path:     path.Join(issuesDir, name),
	}
	err := checkID(i.ID)
	var text string
	if err == nil {
		text, err = readFile(root, i.Path)
	}
	var d document
	if err == nil {
		d, err = parse(text)
	}
	if d.Title != "" {
		i.Title = d.Title
	}
	if err != nil {
		i.Broken = i.Path + ": " + err.Error()
		return i
	}
	i.Body, i.Status, i.Priority, i.Created = d.Body(), d.status, d.priority, d.created
	for _, id := range d.needs {
		i.Needs = append(i.Needs, idIn(id))
	}
	return i
}

// readFile returns the text of a regular file. It refuses links, pipes and
// devices.
func readFile(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return "", withoutPath(err)
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("want a regular file")
	}
	if info.Size() > largest {
		return "", markdown.Errorf(1, "the file has %d bytes; an issue has at most %d", info.Size(), largest)
	}
	file, err := root.Open(name)
	if err != nil {
		return "", withoutPath(err)
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, largest+1))
	if err != nil {
		return "", withoutPath(err)
	}
	return string(raw), nil
}

// withoutPath returns err without its path, because the caller names the path.
func withoutPath(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// markSameID marks issues as broken whose ids are the same: nothing tells which
// one an id means.
func markSameID(all []Issue) {
	first := map[string]int{}
	for i := range all {
		id := strings.ToLower(all[i].ID)
		other, taken := first[id]
		if !taken {
			first[id] = i
			continue
		}
		for _, n := range []int{i, other} {
			all[n].Broken = fmt.Sprintf(
				"%s: %s has the same id; rename one of the two files", all[n].Path, all[i+other-n].Path,
			)
		}
	}
}

// New writes the file of a new issue.
func (f *files) New(ctx context.Context, d Draft) (Issue, error) {
	d, err := d.checked()
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	var made Issue
	err = f.change(ctx, func(root *os.Root, all []Issue) error {
		if d.Needs, err = resolveNeeds(all, d.Needs); err != nil {
			return err
		}
		text, err := compose(d, f.now())
		if err != nil {
			return err
		}
		id := freshID(all)
		name := path.Join(issuesDir, id+slug(d.Title)+".md")
		if err := replace(root, name, "", text); err != nil {
			return err
		}
		made = readIssue(root, path.Base(name))
		one := append(all, made)
		settle(one)
		made = one[len(one)-1]
		return nil
	})
	if err != nil {
		return Issue{}, fmt.Errorf("new issue: %w", err)
	}
	return made, nil
}

// resolveNeeds returns the ids of a draft's needs. An issue in a circle can never
// be over, so a new issue must not need it.
func resolveNeeds(all []Issue, needs []string) (out []string, err error) {
	round := circles(all, index(all))
	for _, id := range needs {
		need, err := pick(all, idIn(id))
		if err != nil {
			return nil, err
		}
		if way, ok := round[need.ID]; ok {
			return nil, fmt.Errorf("%w: %s", errCycle, way)
		}
		out = append(out, need.ID)
	}
	return out, nil
}

// Set changes the status in the issue's file, and adds the note at the end.
func (f *files) Set(ctx context.Context, id string, s Status, note string) error {
	err := s.check()
	if err != nil {
		return err
	}
	err = f.change(ctx, func(root *os.Root, all []Issue) error {
		i, err := pick(all, idIn(id))
		if err != nil {
			return err
		}
		hasSameID := func(o Issue) bool { return o.Path != i.Path && strings.EqualFold(o.ID, i.ID) }
		if slices.ContainsFunc(all, hasSameID) {
			return fmt.Errorf("%w: %s", errBroken, i.Broken)
		}
		for {
			if err := f.rewrite(root, i.Path, s, asNote(note)); !errors.Is(err, errEdited) {
				return err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("set issue %s to %s: %w", markdown.Shorten(id), s, err)
	}
	return nil
}

// rewrite changes one file. It returns errEdited if a person edited the file at the
// same time.
func (f *files) rewrite(root *os.Root, name string, s Status, note string) error {
	text, err := readFile(root, name)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errBroken, name, err)
	}
	next, err := updatedText(text, f.now(), s, note)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errBroken, name, err)
	}
	if next == text {
		return nil
	}
	return replace(root, name, text, next)
}

// updatedText returns a file's text with the status and the comment. It adds
// neither if the text has it already.
func updatedText(text string, at time.Time, s Status, note string) (string, error) {
	d, err := parse(text)
	if err != nil {
		return "", err
	}
	if d.status != s {
		text = d.WithField(fieldStatus, string(s))
	}
	if d, err = parse(text); err != nil {
		return "", err
	}
	if !d.endsWith(note) {
		text = d.withComment(at, s, note)
	}
	if len(text) > largest {
		return "", markdown.Errorf(1, "with this comment the file would have more than %d bytes; shorten it", largest)
	}
	return text, nil
}

// change runs step, which changes the files, under a lock: no other process of
// Afar changes them meanwhile.
func (f *files) change(ctx context.Context, step func(*os.Root, []Issue) error) error {
	root, err := os.OpenRoot(f.top)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll(issuesDir, 0o755); err != nil {
		return err
	}
	lock, err := home.AwaitLock(ctx, filepath.Join(f.top, filepath.FromSlash(issuesDir)))
	if err != nil {
		return err
	}
	defer lock.Release()
	all, err := readAll(root)
	if err != nil {
		return err
	}
	return step(root, all)
}

// errEdited says that a file has changed since it was read.
var errEdited = errors.New("the file was edited meanwhile")

// replace gives a file a new text in one step, if its text is still was. An empty
// was means that the file must not exist. The caller holds the lock, so one name
// for the unfinished file is enough; a crash leaves at most that file behind.
func replace(root *os.Root, name, was, text string) error {
	unfinished, mode := path.Join(issuesDir, ".new"), fs.FileMode(0o644)
	if info, err := root.Lstat(name); err == nil {
		mode = info.Mode().Perm()
	}
	if err := root.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := root.OpenFile(unfinished, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = checkUnchanged(root, name, was) // a person may have saved it during a slow write
	}
	if err == nil {
		err = root.Rename(unfinished, name)
	}
	if err != nil {
		_ = root.Remove(unfinished)
		return err
	}
	return syncDir(root)
}

// checkUnchanged returns errEdited unless the text of the file is still was.
func checkUnchanged(root *os.Root, name, was string) error {
	text, err := readFile(root, name)
	if was == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && text != was {
		return errEdited
	}
	return err
}

// syncDir makes a rename survive a power loss, if the system supports that.
func syncDir(root *os.Root) error {
	dir, err := root.Open(issuesDir)
	if err != nil {
		return err
	}
	_ = dir.Sync()
	return dir.Close()
}

// An id that Afar makes has six characters that are easy to tell apart and form no
// words. There are 272 million such ids, so two branches hardly ever make the same
// one. A file name is the id and, for readers, the title. If a file name does not
// begin with such an id, the whole name is the id.
const (
	idFirst = "bcdfghjkmnpqrstvwxz"
	idRest  = idFirst + "23456789"
	idLen   = 6
)

var madeID = regexp.MustCompile(fmt.Sprintf("^[%s][%s]{%d}$", idFirst, idRest, idLen-1))

// freshID returns a random id that no issue has.
func freshID(all []Issue) string {
	for {
		id := randomID()
		if _, err := pick(all, id); errors.Is(err, ErrNotFound) {
			return id
		}
	}
}

func randomID() string {
	id := []byte{randomLetter(idFirst)}
	for len(id) < idLen {
		id = append(id, randomLetter(idRest))
	}
	return string(id)
}

// randomLetter returns a random letter of an alphabet. All are equally likely.
func randomLetter(of string) byte {
	for b := make([]byte, 1); ; {
		_, _ = rand.Read(b) // it never fails
		if n := int(b[0]); n < 256/len(of)*len(of) {
			return of[n%len(of)]
		}
	}
}

// idOf returns the id of an issue from the name of its file.
func idOf(name string) string {
	stem := strings.TrimSuffix(name, ".md")
	made, _, _ := strings.Cut(stem, "-")
	if madeID.MatchString(made) {
		return made
	}
	return stem
}

// idIn returns the id in what a person typed: an id, a file name, or a path.
func idIn(id string) string { return idOf(strings.TrimPrefix(id, issuesDir+"/")) }

// slug returns a title as the end of a file name: "-fix-the-login", or "".
func slug(title string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !strings.ContainsRune(idLetters, r)
	}) {
		if b.Len()+len(word) > 40 {
			break
		}
		b.WriteString("-" + word)
	}
	return b.String()
}
