package guard_test

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/guard"
)

// A program that starts an agent judges each call before it runs. The text is the input of the tool as the
// agent wrote it.
func Example() {
	ctx := guard.Context{
		Cwd:     "/home/ann/app",
		Project: "/home/ann/app",
		Home:    "/home/ann",
		Env:     map[string]string{"HOME": "/home/ann"},
		Temp:    []string{"/tmp"},
	}
	for _, text := range []string{
		`{"command": "go test ./... | tail -5"}`,
		`{"command": "x=$HOME; rm -rf \"$x\""}`,
		`{"command": "npm publish"}`,
	} {
		call, err := guard.ReadCall("Bash", text)
		if err != nil {
			fmt.Println("refuse:", err)
			continue
		}
		d := guard.Judge(call, ctx)
		if d.Verdict == guard.None {
			fmt.Println("no opinion")
			continue
		}
		fmt.Printf("%s by %s: %s\n", d.Verdict, d.Rule, d.Person)
	}
	// Output:
	// no opinion
	// deny by fs.delete-home: Deletes a home directory: /home/ann
	// ask by publish: Publishes to others: registry
}

// The rules that protect Afar itself hold only if the caller passes their amendment.
func ExampleSelf() {
	ctx := guard.Context{Cwd: "/home/ann/app", Project: "/home/ann/app", Home: "/home/ann"}
	call := guard.ShellCall("afar allow ask_12")
	fmt.Printf("%q\n", guard.Judge(call, ctx).Verdict)
	ctx.Amendments = []guard.Amendment{guard.Self()}
	fmt.Printf("%q\n", guard.Judge(call, ctx).Rule)
	// Output:
	// ""
	// "afar.decide"
}
