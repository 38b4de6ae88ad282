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
	var all [][]string
	var cur []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ';' || strings.HasPrefix(text[i:], `\g`):
			all, cur = append(all, cur), nil
			i++
		case strings.HasPrefix(text[i:], "--") || c == '#' && i+1 < len(text) && text[i+1] == ' ':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i:], "*/")
			if strings.HasPrefix(text[i:], "/*!") && end > 0 { // MySQL runs these
				i += 3
				for i < len(text) && text[i] >= '0' && text[i] <= '9' {
					i++
				}
				continue
			}
			if end < 0 {
				return append(all, cur)
			}
			i += end + 2
		case c == '\'' || c == '"' || c == '`':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return append(all, cur)
			}
			cur = append(cur, "'"+text[i+1:i+1+end])
			i += end + 2
		case lex.IsNameByte(c) || c >= partial.Hole && c <= partial.HoleKey || c == '.' || c == '*':
			n := 1
			for i+n < len(text) && (lex.IsNameByte(text[i+n]) || text[i+n] == '.' || text[i+n] >= partial.Hole && text[i+n] <= partial.HoleKey) {
				n++
			}
			cur = append(cur, strings.ToUpper(text[i:i+n]))
			i += n
		default:
			i++
		}
	}
	return append(all, cur)
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

func report(sh *shell.Shell, w []string) {
	switch w[0] {
	case "DROP":
		sh.Effect(effect.DropData, dropScale(w[1]), strings.Join(w[1:min(len(w), 5)], " "))
	case "TRUNCATE":
		sh.Effect(effect.DropData, effect.Rows, strings.Join(w[1:min(len(w), 4)], " "))
	case "DELETE":
		if !slices.Contains(w, "WHERE") || trueWhere(w) {
			sh.Effect(effect.DropData, effect.Rows, strings.Join(w[1:min(len(w), 4)], " "))
		}
	case "UPDATE":
		if slices.Contains(w, "SET") && (!slices.Contains(w, "WHERE") || trueWhere(w)) {
			sh.Effect(effect.DropData, effect.Values, w[1])
		}
	case "ALTER":
		if lex.OneOf(w[1], "USER ROLE LOGIN") && lex.ContainsAny(w, "PASSWORD SUPERUSER IDENTIFIED CREATEROLE CREATEDB") {
			sh.Effect(effect.ChangeRemote, effect.Rights, strings.ToLower(w[0]+" "+w[1]))
		}
		for i, x := range w {
			if lex.OneOf(x, "DROP DETACH") && i+1 < len(w) && !lex.OneOf(w[i+1], "DEFAULT NOT") {
				sh.Effect(effect.DropData, effect.Column, strings.Join(w[1:min(len(w), 6)], " "))
				return
			}
		}
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
	case "COPY":
		runProgram(sh, w)
	case "WITH":
		reportWith(sh, w)
	case "DO":
		for i, x := range w {
			if i > 0 && lex.OneOf(x, "DELETE UPDATE DROP TRUNCATE ALTER EXECUTE") {
				report(sh, w[i:])
				return
			}
		}
	case "EXECUTE", "EXEC", "CALL", "PREPARE":
		if slices.Contains(w, "XP_CMDSHELL") {
			sh.Effect(effect.RunUnknown, effect.DatabaseProgram, "")
		}
		for _, x := range w {
			if code, ok := strings.CutPrefix(x, "'"); ok && strings.Contains(code, " ") {
				Read(sh, code)
			}
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
