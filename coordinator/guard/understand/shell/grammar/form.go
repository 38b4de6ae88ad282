package grammar

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// ReadsFiles reports whether the redirections or the words of a statement may hand on the text of
// a file.
func ReadsFiles(st *syntax.Stmt) bool {
	if len(st.Redirs) > 0 {
		return true
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	return ok && slices.ContainsFunc(call.Args, func(w *syntax.Word) bool { return substitutes(w.Parts) })
}

// substitutes reports whether one of the parts of a word is the output of a command.
func substitutes(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return true
		case *syntax.DblQuoted:
			if substitutes(p.Parts) {
				return true
			}
		}
	}
	return false
}

// Simple returns the name of the program of a simple command and its arguments. The name is
// "" for any other command, and if it is not written out.
func Simple(cmd syntax.Command) (name string, args []*syntax.Word) {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", nil
	}
	return call.Args[0].Lit(), call.Args[1:]
}

// Spine returns the first statement of a list or of a pipeline, and what follows it in order. The tree
// of a hundred thousand commands is as deep, so nothing may recurse into it.
func Spine(c *syntax.BinaryCmd) (first *syntax.Stmt, rest []*syntax.BinaryCmd) {
	for next := c; next != nil && IsPipe(next) == IsPipe(c); next = BinaryOf(first) {
		first = next.X
		rest = append(rest, next)
	}
	slices.Reverse(rest)
	return first, rest
}

// BinaryOf returns the list or the pipeline that a statement is. It returns nil for any other
// statement, and if there are redirections behind it.
func BinaryOf(st *syntax.Stmt) *syntax.BinaryCmd {
	if len(st.Redirs) > 0 {
		return nil
	}
	c, _ := st.Cmd.(*syntax.BinaryCmd)
	return c
}

// TakesCommands reports whether a shell with these arguments runs the commands of its input.
func TakesCommands(args []*syntax.Word) bool {
	switch len(args) {
	case 0:
		return true
	case 1:
		return args[0].Lit() == "-i"
	}
	return false
}

// IsPipe reports whether a list of two commands is a pipeline.
func IsPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// Quoted reports whether a part of a word is in quotes.
func Quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}
