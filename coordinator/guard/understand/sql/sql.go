package sql

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Statements cuts a text into statements of upper-case words. Comments are
// dropped; literals and quoted names count as one word, so that a keyword
// inside them is data.
func Statements(text string) [][]string {
	r := reader{text: text}
	for r.at < len(text) && r.next() {
	}
	return append(r.all, r.words)
}

// A reader cuts a text into words from the left to the right.
type reader struct {
	text  string
	at    int
	all   [][]string
	words []string // of the statement that is read
}

// next reads a word, or what stands between two. It returns false where a comment or
// a literal has no end.
func (r *reader) next() bool {
	rest := r.text[r.at:]
	switch c := rest[0]; {
	case c == ';', strings.HasPrefix(rest, `\g`):
		r.all, r.words = append(r.all, r.words), nil
		r.at++
	case lex.BeginsWith(rest, "--"), strings.HasPrefix(rest, "# "):
		r.at += until(rest, "\n")
	case strings.HasPrefix(rest, "/*"):
		return r.comment(rest)
	case strings.IndexByte("'\"`", c) >= 0:
		return r.quoted(rest)
	case inWord(c), c == '*':
		n := 1
		for n < len(rest) && inWord(rest[n]) {
			n++
		}
		r.words = append(r.words, strings.ToUpper(rest[:n]))
		r.at += n
	default:
		r.at++
	}
	return true
}

// comment passes a comment over. MySQL runs what stands in /*! */.
func (r *reader) comment(rest string) bool {
	end := strings.Index(rest, "*/")
	if end > 0 && strings.HasPrefix(rest, "/*!") {
		r.at += len(rest) - len(strings.TrimLeft(rest[3:], "0123456789"))
		return true
	}
	r.at += end + 2
	return end >= 0
}

// quoted reads a literal or a quoted name as one word that is no keyword.
func (r *reader) quoted(rest string) bool {
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return false
	}
	r.words = append(r.words, "'"+rest[1:1+end])
	r.at += end + 2
	return true
}

func until(text, mark string) int {
	if i := strings.Index(text, mark); i >= 0 {
		return i
	}
	return len(text)
}

// inWord is true of the bytes of a name, and of text that is not known.
func inWord(c byte) bool {
	return lex.IsNameByte(c) || c == '.' || partial.HasHole(string(rune(c)))
}

// Read reports what the statements of a text drop.
func Read(sh *shell.Shell, text string) {
	if !sh.SpendSource(text) {
		return
	}
	for _, words := range Statements(text) {
		for len(words) > 1 && words[0] == "BEGIN" {
			words = words[1:]
		}
		if len(words) > 1 && words[0] == "EXPLAIN" {
			words = explained(words)
		}
		if len(words) > 1 || len(words) == 1 && words[0] == "SHUTDOWN" {
			report(sh, words)
		}
	}
}

// explained is the statement that EXPLAIN ANALYZE runs; EXPLAIN alone runs none.
func explained(w []string) []string {
	if !slices.Contains(w, "ANALYZE") {
		return nil
	}
	for i, x := range w {
		if lex.OneOf(x, "DELETE UPDATE INSERT MERGE WITH") {
			return w[i:]
		}
	}
	return nil
}

// report reports what a statement drops, by its first word.
func report(sh *shell.Shell, w []string) {
	switch w[0] {
	case "DROP":
		sh.Effect(effect.DropData, dropScale(w[1]), words(w, 5))
	case "TRUNCATE":
		sh.Effect(effect.DropData, effect.Rows, words(w, 4))
	case "DELETE":
		if !narrowed(w) {
			sh.Effect(effect.DropData, effect.Rows, words(w, 4))
		}
	case "UPDATE":
		if slices.Contains(w, "SET") && !narrowed(w) {
			sh.Effect(effect.DropData, effect.Values, w[1])
		}
	case "ALTER":
		reportAlter(sh, w)
	case "COPY":
		runProgram(sh, w)
	case "WITH":
		reportWith(sh, w)
	case "DO":
		reportBlock(sh, w)
	case "EXECUTE", "EXEC", "CALL", "PREPARE":
		reportExecuted(sh, w)
	default:
		reportServer(sh, w)
	}
}

// words returns the words of a statement behind the first, up to the n-th.
func words(w []string, n int) string { return strings.Join(w[1:min(len(w), n)], " ") }

// narrowed is true of a statement that is about some rows only.
func narrowed(w []string) bool { return slices.Contains(w, "WHERE") && !trueWhere(w) }

// reportServer reports what a statement does to the server as a whole.
func reportServer(sh *shell.Shell, w []string) {
	switch w[0] {
	case "GRANT", "REVOKE":
		if lex.OneOf(w[1], "ALL SUPERUSER") {
			sh.Effect(effect.ChangeRemote, effect.Rights, strings.ToLower(w[0]))
		}
	case "RESET":
		if lex.OneOf(w[1], "MASTER SLAVE") {
			sh.Effect(effect.DropData, effect.Log, w[1])
		}
	case "PURGE":
		sh.Effect(effect.DropData, effect.Log, w[1])
	case "SHUTDOWN":
		sh.Effect(effect.StopService, effect.Database, strings.ToLower(w[0]))
	case "FLUSHALL", "FLUSHDB":
		sh.Effect(effect.DropData, effect.Database, w[0])
	}
}

// reportAlter reports rights that are given and parts that are dropped.
func reportAlter(sh *shell.Shell, w []string) {
	if lex.OneOf(w[1], "USER ROLE LOGIN") && lex.ContainsAny(w, "PASSWORD SUPERUSER IDENTIFIED CREATEROLE CREATEDB") {
		sh.Effect(effect.ChangeRemote, effect.Rights, strings.ToLower(w[0]+" "+w[1]))
	}
	for i, x := range w[:len(w)-1] {
		if lex.OneOf(x, "DROP DETACH") && !lex.OneOf(w[i+1], "DEFAULT NOT") {
			sh.Effect(effect.DropData, effect.Column, words(w, 6))
			return
		}
	}
}

// reportBlock reports the first statement of a block that changes something.
func reportBlock(sh *shell.Shell, w []string) {
	for i, x := range w {
		if i > 0 && lex.OneOf(x, "DELETE UPDATE DROP TRUNCATE ALTER EXECUTE") {
			report(sh, w[i:])
			return
		}
	}
}

// reportExecuted reports what a statement runs that stands in a text.
func reportExecuted(sh *shell.Shell, w []string) {
	if slices.Contains(w, "XP_CMDSHELL") {
		sh.Effect(effect.RunUnknown, effect.DatabaseProgram, "")
	}
	for _, x := range w {
		if code, ok := strings.CutPrefix(x, "'"); ok && strings.Contains(code, " ") {
			Read(sh, code)
		}
	}
}

// runProgram runs what COPY … PROGRAM 'command' starts on the server.
func runProgram(sh *shell.Shell, w []string) {
	for i, x := range w {
		if x == "PROGRAM" && i+1 < len(w) {
			sh.Possible(effect.RunUnknown, effect.DatabaseProgram, "")
			child := sh.Sub()
			child.Place = shell.RemotePlace()
			child.Run(strings.TrimPrefix(w[i+1], "'"), nil)
		}
	}
}

func reportWith(sh *shell.Shell, w []string) {
	for i, x := range w {
		if lex.OneOf(x, "DELETE UPDATE") && i > 0 {
			report(sh, w[i:])
			return
		}
	}
}

// trueWhere is true of a condition that holds for every row: one of its
// alternatives compares things with themselves, or is a constant.
func trueWhere(w []string) bool {
	from := 0
	for i, x := range w {
		if x == "WHERE" {
			from = i + 1
		}
	}
	for _, alternative := range splitWords(w[from:], "OR") {
		all := true
		for _, test := range splitWords(alternative, "AND") {
			all = all && alwaysTrue(test)
		}
		if all {
			return true
		}
	}
	return false
}

func alwaysTrue(test []string) bool {
	switch len(test) {
	case 1:
		return test[0] == "TRUE" || lex.IsNumber(test[0]) && test[0] != "0"
	case 2:
		return test[0] == test[1]
	}
	return false
}

func splitWords(w []string, at string) [][]string {
	var out [][]string
	from := 0
	for i, x := range w {
		if x == at {
			out = append(out, w[from:i])
			from = i + 1
		}
	}
	return append(out, w[from:])
}

func dropScale(object string) effect.Op {
	switch object {
	case "DATABASE", "SCHEMA", "KEYSPACE", "TABLESPACE", "OWNED", "CATALOG":
		return effect.Database
	case "TABLE", "MATERIALIZED", "COLLECTION", "MEASUREMENT", "SERIES", "BUCKET":
		return effect.Table
	case "USER", "ROLE", "LOGIN":
		return effect.User
	}
	return effect.Object
}
