package guard

// row is what one program does: its arguments become effects and, where it
// matters to the next command, output.
type row func(*shell, command)

// programRow finds the row of a program. The families are functions and not
// one map: nothing is built when the hook starts.
func programRow(name string) row {
	for _, family := range [...]func(string) row{
		wrapperRow, textRow, fileRow, codeRow, diskRow, databaseRow, containerRow,
		serviceRow, networkRow, publishRow, packageRow, secretRow,
	} {
		if r := family(name); r != nil {
			return r
		}
	}
	switch name {
	case "git":
		return gitProgram
	case "bfg":
		return func(sh *shell, c command) { sh.effect(RewriteRefs, "filter", "") }
	}
	return nil
}
