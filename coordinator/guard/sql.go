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
		for len(words) > 1 && oneOf(words[0], "EXPLAIN BEGIN WITH") {
			if words[0] == "EXPLAIN" {
				if !containsString(words, "ANALYZE") {
					words = nil
				}
				break
			}
			words = words[1:]
		}
		if len(words) > 1 {
			sh.statement(words)
		}
	}
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
	case "FLUSHALL", "FLUSHDB", "SHUTDOWN":
		sh.effect(DropData, "database", w[0])
	case "COPY":
		if containsString(w, "PROGRAM") {
			sh.possible(RunUnknown, "database program", "")
		}
	case "MERGE", "REPLACE":
	case "WITH":
		sh.withStatement(w)
	case "DO", "EXECUTE", "EXEC", "CALL":
		if containsString(w, "XP_CMDSHELL") {
			sh.effect(RunUnknown, "database program", "")
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

func trueWhere(w []string) bool {
	for i, x := range w {
		if x == "WHERE" {
			rest := strings.Join(w[i+1:], " ")
			return rest == "1" || rest == "1 1" || rest == "TRUE" || rest == "'1 '1"
		}
	}
	return false
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
