// Package sql reads statements of SQL and of its dialects as far as they destroy something or start programs.
package sql

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Statements splits a text into statements, each a list of upper-case words. It drops comments. A literal
// or a quoted name counts as one word, so a keyword inside it is treated as data.
func Statements(text string) [][]string { return read(text).all }

// read reads a whole text.
func read(text string) *reader {
	r := &reader{text: text}
	for r.at < len(text) && r.next() {
	}
	r.end()
	return r
}

// A reader splits a text into words, from left to right.
type reader struct {
	text  string
	at    int
	all   [][]string
	words []string // the words of the current statement
	// starts are the offsets of the first words of all statements.
	starts []int
	start  int
}

// end ends the current statement.
func (r *reader) end() {
	r.all, r.starts = append(r.all, r.words), append(r.starts, r.start)
	r.words = nil
}

// add adds a word to the current statement.
func (r *reader) add(word string) {
	if len(r.words) == 0 {
		r.start = r.at
	}
	r.words = append(r.words, word)
}

// next reads a word, or the text between two words. It returns false if a comment or a literal is not closed.
func (r *reader) next() bool {
	rest := r.text[r.at:]
	switch c := rest[0]; {
	case c == ';', strings.HasPrefix(rest, `\g`), c == '\n' && endsLine(r.words):
		r.end()
		r.at++
	case len(r.words) == 0 && lex.BeginsWith(rest, `\copy \COPY`):
		r.add(clientCopy)
		r.at += len(clientCopy)
	case len(r.words) == 0 && strings.IndexByte(`\.:!@`, c) >= 0, // a command for the client
		strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "# "):
		line, _, _ := strings.Cut(rest, "\n")
		r.at += len(line)
	case strings.HasPrefix(rest, "/*"):
		return r.comment(rest)
	case strings.IndexByte("'\"`", c) >= 0:
		return r.quoted(rest)
	case inWord(c), c == '*':
		n := 1
		for n < len(rest) && inWord(rest[n]) {
			n++
		}
		r.add(strings.ToUpper(rest[:n]))
		r.at += n
	default:
		r.at++
	}
	return true
}

// lineCommands are commands that a client reads up to the end of their line, without a semicolon.
const lineCommands = clientCopy + " USE SET WHENEVER SPOOL PROMPT CONNECT DEFINE COLUMN DELIMITER SOURCE PRINT"

// endsLine reports whether a statement ends with its line, as far as it is read.
func endsLine(words []string) bool {
	if len(words) == 0 {
		return false
	}
	return lex.OneOf(words[0], lineCommands) || words[len(words)-1] == "GO"
}

// comment skips a comment. The content of /*! */ is read, because MySQL runs it.
func (r *reader) comment(rest string) bool {
	end := strings.Index(rest, "*/")
	if end > 0 && strings.HasPrefix(rest, "/*!") {
		r.at += len(rest) - len(strings.TrimLeft(rest[3:], "0123456789"))
		return true
	}
	r.at += end + 2
	return end >= 0
}

// quoted reads a literal or a quoted name as one word. A leading quote marks the
// word, so it is never taken for a keyword.
func (r *reader) quoted(rest string) bool {
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return false
	}
	r.add("'" + rest[1:1+end])
	r.at += end + 2
	return true
}

// clientCopy is COPY for files and programs of the client. It ends with its line.
const clientCopy = `\COPY`

// inWord reports whether a byte belongs to a name or to unknown text.
func inWord(c byte) bool {
	return lex.IsNameByte(c) || c == '.' || partial.HasHole(string(rune(c)))
}

// Read reports the effects of the SQL statements in a text.
func Read(sh *shell.Shell, text string) {
	if !sh.SpendSource(text) {
		return
	}
	r := read(text)
	made, undone := map[string]bool{}, rolledBack(r.all)
	for i, words := range r.all {
		sh.AtOffset(text, r.starts[i])
		for lex.First(words) == "BEGIN" {
			words = words[1:]
		}
		if lex.First(words) == "EXPLAIN" {
			words = explained(words)
		}
		switch {
		case len(words) == 1 && words[0] == "SHUTDOWN":
			report(sh, words)
		case len(words) < 2, undone && lex.OneOf(words[0], "DELETE UPDATE WITH"):
		case words[0] == "DROP" && made[dropped(words)]:
		case words[0] == "CREATE":
			made[created(sh, words)] = true
			reportServer(sh, words)
		default:
			report(sh, words)
			readFiles(sh, words)
		}
	}
}

// fileReaders are the functions that return the content of a file.
const fileReaders = "READFILE READ_TEXT READ_BLOB READ_CSV READ_CSV_AUTO READ_JSON PG_READ_FILE PG_READ_BINARY_FILE " +
	"LOAD_FILE LO_IMPORT INFILE"

// readFiles reports the files that a statement reads.
func readFiles(sh *shell.Shell, w []string) {
	readers := fileReaders
	if lex.OneOf(w[0], "COPY "+clientCopy) {
		readers += " FROM"
	}
	for i, x := range w[:len(w)-1] {
		if name, ok := strings.CutPrefix(w[i+1], "'"); ok && lex.OneOf(x, readers) {
			sh.Read(name)
		}
	}
}

// rolledBack reports whether the statements are one transaction that is undone.
func rolledBack(all [][]string) bool {
	all = slices.DeleteFunc(slices.Clone(all), func(w []string) bool { return len(w) == 0 })
	if len(all) < 2 || !lex.OneOf(all[0][0], "BEGIN START") || all[len(all)-1][0] != "ROLLBACK" {
		return false
	}
	return !slices.ContainsFunc(all, func(w []string) bool { return lex.OneOf(w[0], "COMMIT END SAVEPOINT") })
}

// created returns the kind and the name of what a statement creates, or "" if it may have existed
// before. It remembers a database.
func created(sh *shell.Shell, w []string) string {
	w = slices.DeleteFunc(w[1:], func(x string) bool { return lex.OneOf(x, "GLOBAL LOCAL TEMP TEMPORARY UNLOGGED") })
	switch {
	case len(w) < 2, w[1] == "IF":
		return ""
	case w[0] == "DATABASE":
		sh.Makes("database", strings.ToLower(strings.Trim(w[1], "'")))
	}
	return w[0] + " " + w[1]
}

// dropped returns the kind and the name of the single thing that a statement drops.
func dropped(w []string) string {
	w = slices.DeleteFunc(w[1:], func(x string) bool { return lex.OneOf(x, "IF EXISTS CASCADE") })
	return strings.Join(w, " ")
}

// explained returns the statement that EXPLAIN ANALYZE runs. EXPLAIN alone runs nothing, so the result is nil.
func explained(w []string) []string {
	i := slices.IndexFunc(w, func(x string) bool { return lex.OneOf(x, "DELETE INSERT MERGE UPDATE WITH") })
	if i < 0 || !slices.Contains(w, "ANALYZE") {
		return nil
	}
	return w[i:]
}

// report reports the effects of one statement, chosen by its first word.
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
	case "COPY", clientCopy:
		runProgram(sh, w)
	case "WITH":
		reportInner(sh, w, "DELETE UPDATE")
	case "DO":
		reportInner(sh, w, "DELETE UPDATE DROP TRUNCATE ALTER EXECUTE")
	case "EXECUTE", "EXEC", "CALL", "PREPARE":
		reportExecuted(sh, w)
	default:
		reportServer(sh, w)
	}
}

// words returns the words of a statement from the second to the n-th.
func words(w []string, n int) string { return strings.Join(w[1:min(len(w), n)], " ") }

// narrowed reports whether a WHERE condition limits a statement to some rows.
func narrowed(w []string) bool { return slices.Contains(w, "WHERE") && !trueWhere(w) }

// isAccount reports whether a statement is about somebody who may sign in.
func isAccount(noun string) bool { return lex.OneOf(noun, "USER ROLE LOGIN") }

// reportServer reports the effects of a statement on rights, logs or the whole server.
func reportServer(sh *shell.Shell, w []string) {
	switch w[0] {
	case "GRANT", "REVOKE":
		if lex.OneOf(w[1], "ALL SUPERUSER") {
			sh.Effect(effect.ChangeRemote, effect.Rights, strings.ToLower(w[0]))
		}
	case "CREATE":
		if isAccount(w[1]) && slices.Contains(w, "SUPERUSER") {
			sh.Effect(effect.ChangeRemote, effect.Rights, "create superuser")
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

// reportAlter reports rights that ALTER grants and columns or parts that it drops.
func reportAlter(sh *shell.Shell, w []string) {
	if isAccount(w[1]) && lex.ContainsAny(w, "PASSWORD SUPERUSER IDENTIFIED CREATEROLE CREATEDB") {
		sh.Effect(effect.ChangeRemote, effect.Rights, strings.ToLower(w[0]+" "+w[1]))
	}
	if i := slices.Index(w, "DELETE"); i == 3 && !narrowed(w) { // a mutation of ClickHouse
		sh.Effect(effect.DropData, effect.Rows, words(w, 6))
		return
	}
	for i, x := range w[:len(w)-1] {
		if lex.OneOf(x, "DROP DETACH") && !lex.OneOf(w[i+1], "DEFAULT NOT") {
			sh.Effect(effect.DropData, effect.Column, words(w, 6))
			return
		}
	}
}

// reportInner reports the first of the statements inside another one whose verb is in a list.
func reportInner(sh *shell.Shell, w []string, verbs string) {
	for i, x := range w[1 : len(w)-1] {
		if lex.OneOf(x, verbs) {
			report(sh, w[i+1:])
			return
		}
	}
}

// reportExecuted reports the effects of statements that are passed as string literals.
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

// runProgram runs the command that COPY … PROGRAM 'command' starts on the server.
func runProgram(sh *shell.Shell, w []string) {
	for i, x := range w {
		switch {
		case x != "PROGRAM", i+1 == len(w):
		case w[0] == clientCopy:
			sh.Run(strings.TrimPrefix(w[i+1], "'"), nil)
		default:
			sh.Possible(effect.RunUnknown, effect.DatabaseProgram, "")
			sh.Elsewhere().Run(strings.TrimPrefix(w[i+1], "'"), nil)
		}
	}
}

// trueWhere reports whether the last WHERE condition holds for every row. That is
// so if one of its alternatives is a constant or compares values with themselves.
func trueWhere(w []string) bool {
	conditions := splitWords(w, "WHERE")
	for _, alternative := range splitWords(conditions[len(conditions)-1], "OR") {
		if !slices.ContainsFunc(splitWords(alternative, "AND"), mayFail) {
			return true
		}
	}
	return false
}

// mayFail reports whether one comparison of a condition does not always hold.
func mayFail(test []string) bool {
	switch len(test) {
	case 1:
		return test[0] != "TRUE" && (!lex.IsNumber(test[0]) || test[0] == "0")
	case 2:
		return test[0] != test[1]
	}
	return true
}

// splitWords splits words at each occurrence of a separator word.
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

// dropScale returns how much is lost when an object of a kind is dropped.
func dropScale(object string) effect.Op {
	switch object {
	case "DATABASE", "SCHEMA", "KEYSPACE", "TABLESPACE", "OWNED", "CATALOG":
		return effect.Database
	case "TABLE", "MATERIALIZED", "COLLECTION", "MEASUREMENT", "SERIES", "BUCKET":
		return effect.Table
	case "USER", "ROLE", "LOGIN":
		return effect.User
	}
	return effect.Named("object")
}
