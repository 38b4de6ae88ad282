package guard

import "strings"

// sqlWords cuts a text into statements of upper-case words. Comments are
// dropped; literals and quoted names count as one word, so that a keyword
// inside them is data.
func sqlWords(text string) [][]string {
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
		case isNameByte(c) || c >= hole && c <= holeKey || c == '.' || c == '*':
			n := 1
			for i+n < len(text) && (isNameByte(text[i+n]) || text[i+n] == '.' || text[i+n] >= hole && text[i+n] <= holeKey) {
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

// sql reports what the statements of a text drop.
func (sh *shell) sql(text string) {
	if !sh.spendSource(text) {
		return
	}
	for _, words := range sqlWords(text) {
		for len(words) > 1 && words[0] == "BEGIN" {
			words = words[1:]
		}
		if len(words) > 1 && words[0] == "EXPLAIN" {
			words = explained(words)
		}
		if len(words) > 1 || len(words) == 1 && words[0] == "SHUTDOWN" {
			sh.statement(words)
		}
	}
}

// explained is the statement that EXPLAIN ANALYZE runs; EXPLAIN alone runs none.
func explained(w []string) []string {
	if !containsString(w, "ANALYZE") {
		return nil
	}
	for i, x := range w {
		if oneOf(x, "DELETE UPDATE INSERT MERGE WITH") {
			return w[i:]
		}
	}
	return nil
}

func (sh *shell) statement(w []string) {
	switch w[0] {
	case "DROP":
		sh.effect(DropData, dropScale(w[1]), strings.Join(w[1:min(len(w), 5)], " "))
	case "TRUNCATE":
		sh.effect(DropData, "rows", strings.Join(w[1:min(len(w), 4)], " "))
	case "DELETE":
		if !containsString(w, "WHERE") || trueWhere(w) {
			sh.effect(DropData, "rows", strings.Join(w[1:min(len(w), 4)], " "))
		}
	case "UPDATE":
		if containsString(w, "SET") && (!containsString(w, "WHERE") || trueWhere(w)) {
			sh.effect(DropData, "values", w[1])
		}
	case "ALTER":
		if oneOf(w[1], "USER ROLE LOGIN") && containsAny(w, "PASSWORD SUPERUSER IDENTIFIED CREATEROLE CREATEDB") {
			sh.effect(ChangeRemote, "rights", strings.ToLower(w[0]+" "+w[1]))
		}
		for i, x := range w {
			if oneOf(x, "DROP DETACH") && i+1 < len(w) && !oneOf(w[i+1], "DEFAULT NOT") {
				sh.effect(DropData, "column", strings.Join(w[1:min(len(w), 6)], " "))
				return
			}
		}
	case "GRANT", "REVOKE":
		if w[1] == "ALL" || w[1] == "SUPERUSER" {
			sh.effect(ChangeRemote, "rights", strings.ToLower(w[0]))
		}
	case "RESET":
		if oneOf(w[1], "MASTER SLAVE") {
			sh.effect(DropData, "log", w[1])
		}
	case "PURGE":
		sh.effect(DropData, "log", w[1])
	case "SHUTDOWN":
		sh.effect(StopService, "database", strings.ToLower(w[0]))
	case "FLUSHALL", "FLUSHDB":
		sh.effect(DropData, "database", w[0])
	case "COPY":
		sh.databaseProgram(w)
	case "WITH":
		sh.withStatement(w)
	case "DO":
		for i, x := range w {
			if i > 0 && oneOf(x, "DELETE UPDATE DROP TRUNCATE ALTER EXECUTE") {
				sh.statement(w[i:])
				return
			}
		}
	case "EXECUTE", "EXEC", "CALL", "PREPARE":
		if containsString(w, "XP_CMDSHELL") {
			sh.effect(RunUnknown, "database program", "")
		}
		for _, x := range w {
			if code, ok := strings.CutPrefix(x, "'"); ok && strings.Contains(code, " ") {
				sh.sql(code)
			}
		}
	}
}

// databaseProgram runs what COPY … PROGRAM 'command' starts on the server.
func (sh *shell) databaseProgram(w []string) {
	for i, x := range w {
		if x == "PROGRAM" && i+1 < len(w) {
			sh.possible(RunUnknown, "database program", "")
			child := sh.sub()
			child.place = remotePlace()
			child.run(strings.TrimPrefix(w[i+1], "'"), nil)
		}
	}
}

func (sh *shell) withStatement(w []string) {
	for i, x := range w {
		if oneOf(x, "DELETE UPDATE") && i > 0 {
			sh.statement(w[i:])
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
		return test[0] == "TRUE" || isNumber(test[0]) && test[0] != "0"
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

func dropScale(object string) string {
	switch object {
	case "DATABASE", "SCHEMA", "KEYSPACE", "TABLESPACE", "OWNED", "CATALOG":
		return "database"
	case "TABLE", "MATERIALIZED", "COLLECTION", "MEASUREMENT", "SERIES", "BUCKET":
		return "table"
	case "USER", "ROLE", "LOGIN":
		return "user"
	}
	return "object"
}
