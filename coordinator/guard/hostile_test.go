package guard

import (
	"strings"
	"testing"
	"time"
)

// hostile inputs are shaped to make a naive judge recurse, blow up or loop.
func hostile() map[string]string {
	n := 200_000
	rep := strings.Repeat
	return map[string]string{
		"parens":        rep("(", n),
		"balanced":      rep("(", n) + "true" + rep(")", n),
		"braces":        rep("{ ", n),
		"subst":         rep("$(", n),
		"dollar braces": "echo " + rep("${a:-", n),
		"backticks":     rep("`", n),
		"quotes":        rep(`"`, n) + rep(`'`, n),
		"nested dquote": rep(`"$(`, n/2),
		"pipes":         rep("a|", n) + "a",
		"ands":          rep("a&&", n) + "a",
		"ors":           rep("a||", n) + "rm -rf /",
		"semis":         rep("a;", n),
		"newlines":      rep("echo hi\n", n/2),
		"ifs":           rep("if ", n),
		"if then":       rep("if a;then ", n),
		"whiles":        rep("while ", n),
		"bangs":         rep("! ", n),
		"unary arith":   "echo $((" + rep("-", n) + "1))",
		"unary spaced":  "echo $((" + rep("- ", n) + "1))",
		"plus arith":    "echo $((" + rep("1+", n) + "1))",
		"ternary":       "echo $((" + rep("1?", n) + "1" + rep(":1", n) + "))",
		"comma arith":   "echo $((" + rep("1,", n) + "1))",
		"assign arith":  "echo $((" + rep("a=", n) + "1))",
		"power arith":   "echo $((" + rep("1**", n) + "1))",
		"tests":         "[[ " + rep("! ", n) + "a ]]",
		"test ands":     "[[ " + rep("a && ", n) + "a ]]",
		"test ors":      "[[ " + rep("a || ", n) + "a ]]",
		"case":          rep("case a in a) ", n),
		"func":          rep("f() ", n),
		"func brace":    rep("f() { ", n),
		"doubling":      "a=xxxxxxxx;" + rep("a=$a$a;", 2000) + "rm -rf $a",
		"alternatives":  "for a in 1 2 3 4 5 6; do for b in 1 2 3 4 5 6; do x=$a$b; rm " + rep("$x$a$b ", 2000) + "; done; done",
		"brace exp":     "rm " + rep("{a,b}", 2000),
		"brace nest":    "rm " + rep("{a,", 20000) + rep("}", 20000),
		"calls":         "f0() { :; };" + chain(200) + "f200",
		"evals":         rep("eval ", n) + "x",
		"sudos":         rep("sudo ", n) + "rm -rf /",
		"bash c":        nestedBash(14),
		"big word":      rep("x", 1_000_000),
		"big heredoc":   "cat <<EOF\n" + rep("rm -rf /\n", 100_000) + "EOF\n",
		"heredoc shell": "bash <<EOF\n" + rep("echo x\n", 100_000) + "EOF\n",
		"many heredocs": rep("cat <<E\nx\nE\n", 20_000),
		"python":        "python3 -c '" + rep("os.system(", n/2) + "'",
		"python calls":  "python3 -c '" + rep("f(\"a\",", n/4) + "'",
		"sql":           "psql -c '" + rep("DROP ", n) + "'",
		"xargs":         "echo " + rep("x ", n) + "| xargs -I{} rm {}",
		"find":          "find . " + rep("-name x ", n/4) + "-delete",
		"find execs":    "find . " + rep("-exec echo {} ; ", 10_000),
		"redirects":     "a " + rep("> x ", n/4),
		"assigns":       rep("A=1 ", n/4) + "a",
		"dots":          "rm -rf " + rep("../", n),
		"long path":     "rm -rf /" + rep("a/", n),
		"substs":        "echo " + rep("$(echo a) ", 20_000),
		"sub copies":    "x=$(cat <<E\n" + rep("y", 50_000) + "\nE\n);" + rep("echo $(echo $x|cat);", 3000),
		"echo pipe":     rep("echo a|", 20_000) + "sh",
		"base64":        "echo " + rep("QUFB", n/4) + "|base64 -d|sh",
		"tr":            "echo " + rep("a", n) + "|tr a-z b-za|sh",
		"printf":        "printf '" + rep("%s", n/4) + "' " + rep("a ", n/4),
		"aliases":       "alias a='a a';" + rep("a;", 20_000),
		"nul bytes":     rep("\x00", n),
		"control":       rep("\x01\x02\x1f", n/3),
		"invalid utf8":  rep("\xff\xfe", n/2),
		"globs":         "rm -rf " + rep("*?[", n/3),
		"over a MB":     rep("echo x;", 200_000),
		"while case":    rep("while case a in a) ", n/2),
		"subshell fd":   rep("<(", n),
		"extglob":       "echo " + rep("@(", n),
		"dollar quote":  rep("$'", n/2),
		"array":         "a=(" + rep("x ", n/4) + "); echo \"${a[@]}\"",
		"arr nest":      rep("a[", n),
		"for":           rep("for a in b; do ", n),
		"times":         rep("time ", n),
		"coprocs":       rep("coproc ", n),
		"lets":          "let " + rep("a=", n) + "1",
		"negs":          "let " + rep("!", n) + "1",
		"deep balanced": rep("(", 390) + "true" + rep(")", 390),
		"deep double":   rep("((", 190) + "1" + rep("))", 190),
		"deep arith":    "echo " + rep("$((", 130) + "1" + rep("))", 130),
		"deep subst":    "echo " + rep("$(", 390) + "true" + rep(")", 390),
		"deep quoted":   "echo " + rep(`"$(echo `, 190) + "true" + rep(`)"`, 190),
		"deep param":    "echo " + rep("${a:-", 390) + "x" + rep("}", 390),
		"deep func":     rep("f() { ", 390) + ":" + rep("; }", 390),
		"deep mixed":    rep("((a) ", 190) + rep(")", 190),
		"deep test":     "[[ " + rep("( ", 390) + "a" + rep(" )", 390) + " ]]",
		"deep if":       rep("if a; then ", 4900) + "b" + rep("; fi", 4900),
		"deep open if":  rep("if a; then ", 4900),
		"deep extglob":  "echo " + rep("@(a|", 390) + rep(")", 390),
		"deep procs":    "echo " + rep("<(", 390) + "true" + rep(")", 390),
		"deep array":    rep("a[", 390) + "1" + rep("]", 390) + "=1",
		"deep sums":     "echo $((" + rep("1+(", 180) + rep("1?1:", 4000) + "1" + rep(")", 180) + "))",
		"back quotes":   "echo " + rep("`echo ", 1000) + rep("`", 1000),
		"double mixed":  rep("$(( ( ", 130) + rep(") ))", 130),
		"case deep":     rep("case a in a) ", 390) + rep(";; esac", 390),
		"tildes":        "echo $((" + rep("~", n) + "1))",
	}
}

func chain(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		b.WriteString("f" + itoa(i) + "() { f" + itoa(i-1) + "; f" + itoa(i-1) + "; f" + itoa(i-1) + "; };")
	}
	return b.String()
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

func nestedBash(n int) string {
	s := "rm -rf /"
	for i := 0; i < n; i++ {
		s = "bash -c " + quoteAll([]string{s})
	}
	return s
}

// patience tells an end from a blow-up, also on a loaded machine under the race
// detector. How fast it is, is the benchmark's business.
const patience = time.Minute

func TestHostileInputEnds(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				Judge(bash(text), testContext())
			}()
			select {
			case <-done:
			case <-time.After(patience):
				t.Fatalf("%d bytes take more than %v", len(text), patience)
			}
		})
	}
}

func TestUnreadableIsNeverSilent(t *testing.T) {
	for _, name := range []string{"parens", "subst", "backticks-odd", "if then", "bash c", "over a MB", "nested dquote"} {
		text, ok := hostile()[name]
		if !ok {
			text = "echo `a"
		}
		if d := Judge(bash(text), testContext()); d.Verdict == None {
			t.Errorf("%s: no opinion on what cannot be read", name)
		}
	}
	if d := Judge(bash("echo ' ; rm -rf /"), testContext()); d.Verdict != Deny {
		t.Errorf("protected words in an unreadable command: %q", d.Verdict)
	}
}
