package web

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// endWords are the words in the names of fields and actions of an API that destroy something.
const endWords = "delete destroy drop purge terminate wipe erase truncate obliterate remove"

// smallNouns are what may be removed without a loss.
const smallNouns = "label labels reaction star assignee assignees upvote reviewer reviewers subscription bookmark"

// Mutation reports whether a text contains a GraphQL mutation that destroys something. The
// text may be the mutation itself or JSON that quotes it. Values in it are data.
func Mutation(text string) bool {
	i := strings.Index(text, "mutation")
	if i < 0 {
		return false
	}
	quote := `"`
	if before := strings.TrimRight(text[:i], " \n"); strings.HasSuffix(before, `"`) {
		quote = `\"`
	}
	for at, part := range strings.Split(text[i+len("mutation"):], quote) {
		if at%2 == 0 && namesEnd(part) {
			return true
		}
	}
	return false
}

// namesEnd reports whether a piece of GraphQL has a field whose name destroys something.
func namesEnd(part string) bool {
	for part != "" {
		from := strings.IndexFunc(part, isNameRune)
		if from < 0 {
			return false
		}
		part = part[from:]
		end := strings.IndexFunc(part, func(r rune) bool { return !isNameRune(r) })
		if end < 0 {
			end = len(part)
		}
		words := lex.VerbWords(part[:end])
		if lex.ContainsAny(words, endWords) && !lex.ContainsAny(words, smallNouns) {
			return true
		}
		part = part[end:]
	}
	return false
}

func isNameRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z'
}

// actionNames are the names of fields that say what a request does.
const actionNames = "action type operation op command method _method"

// endAction reports whether a field of a body, in JSON or as a form, says that the request
// destroys something.
func endAction(body string) bool {
	fields := strings.FieldsFunc(body, func(r rune) bool { return !isNameRune(r) && r != '-' })
	for i, f := range fields[:max(0, len(fields)-1)] {
		if !lex.OneOf(strings.ToLower(f), actionNames) {
			continue
		}
		words := lex.VerbWords(fields[i+1])
		if lex.OneOf(lex.First(words), endWords) && !strings.HasSuffix(words[len(words)-1], "ed") {
			return true
		}
	}
	return false
}
