package guard

import (
	"strings"
	"testing"
)

const (
	testTasks = testHome + "/afar/tasks"
	testTask  = testTasks + "/pay"
)

// taskContext returns the context of a session that works on the task pay.
func taskContext() Context {
	ctx := testContext()
	ctx.Cwd, ctx.Project = testTask, testTask
	ctx.Unsaved = nil
	return ctx
}

func write(path string) Call {
	return Call{Tool: "Write", Args: []Arg{{Path: "file_path", Value: path}, {Path: "content", Value: "x"}}}
}

// TestTaskFolder: the run of a task writes its own folder, except what Afar writes there. All else
// is a question, and what belongs to Afar and the person alone is denied.
func TestTaskFolder(t *testing.T) {
	const own, other = testTask + "/", testTasks + "/taxes/"
	for _, c := range []struct {
		call Call
		want Verdict
	}{
		{write(own + "state.md"), None},
		{write(own + "checkpoint.md"), None},
		{write(own + "artifacts/a/b.pdf"), None},
		{write("state.md"), None},
		{bash("sed -i s/a/b/ state.md && echo x >> state.md && rm -f checkpoint.md"), None},
		{bash("mkdir -p artifacts && cp /tmp/x artifacts/ && rm -rf artifacts/old"), None},
		{bash("git init && git add . && git commit -m x"), None},
		{bash("echo x > /tmp/scratch"), None},
		{bash("cat ../taxes/state.md ../../memory/INDEX.md"), None},

		{write(own + "CLAUDE.md"), Deny},
		{write(own + "claude.MD"), Deny},
		{write(own + "AGENTS.md"), Deny},
		{write(own + ".mcp.json"), Deny},
		{write(own + ".claude/settings.json"), Deny},
		{write(own + ".claude/commands/x.md"), Deny},
		{write(own + "artifacts/../CLAUDE.md"), Deny},
		{write(own + "artifacts/CLAUDE.md"), Deny},
		{write(own + "artifacts/agents.md"), Deny},
		{write(own + "artifacts/a/b/GEMINI.md"), Deny},
		{write(own + "artifacts/.claude/rules/x.md"), Deny},
		{write(own + "repo/CLAUDE.local.md"), Deny},
		{write(own + "artifacts/.mcp.json"), Deny},
		{bash("echo x > artifacts/CLAUDE.md"), Deny},
		{bash("cd artifacts && cp /tmp/x AGENTS.md"), Deny},
		{bash("mv artifacts/notes.md artifacts/CLAUDE.md"), Deny},
		{bash("ln -s /tmp/x artifacts/AGENTS.md"), Deny},
		{bash("curl -o artifacts/CLAUDE.md https://x.example/x"), Deny},
		{bash("wget -P artifacts https://x.example/CLAUDE.md"), Deny},
		{bash("python3 -c \"open('artifacts/AGENTS.md','w').write('x')\""), Deny},
		{bash("mkdir -p artifacts/.claude"), Deny},
		{write(own + "artifacts/claude.md.txt"), None},
		{write(own + "artifacts/about agents.md.pdf"), None},
		{bash("cat artifacts/CLAUDE.md"), None},
		{bash("echo x > CLAUDE.md"), Deny},
		{bash("cp /tmp/x .mcp.json"), Deny},
		{bash("mkdir -p .claude"), Deny},
		{bash("cd artifacts && echo x | tee ../AGENTS.md"), Deny},
		{bash("python3 -c \"open('CLAUDE.md','w').write('x')\""), Deny},
		{bash("rm -rf ~/afar/tasks/pay"), Deny},
		{bash("rm -rf ~/afar/tasks"), Deny},

		{write(other + "state.md"), Ask},
		{write(testTasks + "/new/state.md"), Ask},
		{bash("mkdir ../mine && echo x > ../mine/state.md"), Ask},
		{bash("rm -rf ../taxes"), Ask},
		{bash("mv ../taxes/state.md /tmp/"), Ask},
		{bash("sed -i s/BLOCKED/COMPLETED/ ../taxes/state.md"), Ask},
		{write(testHome + "/notes.md"), Ask},
		{bash("echo x > ~/notes.md"), Ask},
		{bash("echo x >> ~/notes.md"), Ask},
		{bash("mv ~/notes.md artifacts/"), Ask},
		{bash("cp state.md ~/project/"), Ask},

		{write(testHome + "/afar/triggers/x.md"), Deny},
		{write(testHome + "/afar/modules/m/module.toml"), Deny},
		{write(testHome + "/afar/suggestions/x.md"), Deny},
		{write(testHome + "/afar/memory/x.md"), Deny},
		{write(testHome + "/afar/audit/actions.log"), Deny},
		{write(testHome + "/afar/identity.md"), Deny},
		{bash("echo x > ../../triggers/x.md"), Deny},
		{bash("ln -sf /tmp/x ~/afar/memory/x.md"), Deny},
	} {
		if d := Judge(c.call, taskContext()); d.Verdict != c.want {
			t.Errorf("%v: %q by %s, want %q\n\t%+v", c.call.Args, d.Verdict, d.Rule, c.want, d.Effects)
		}
	}
}

// TestTaskServers: the same rules hold for the tools of servers that write files.
func TestTaskServers(t *testing.T) {
	const own, other, afar = testTask + "/", testTasks + "/taxes/", testHome + "/afar/"
	tool := func(name string, args ...string) Call {
		c := Call{Tool: "mcp__" + name}
		for i := 0; i < len(args); i += 2 {
			c.Args = append(c.Args, Arg{Path: args[i], Value: args[i+1]})
		}
		return c
	}
	for _, c := range []struct {
		call Call
		want Verdict
	}{
		{tool("filesystem__write_file", "path", own+"state.md", "content", "x"), None},
		{
			tool("filesystem__edit_file", "path", own+"artifacts/a.txt", "edits.0.oldText", "a", "edits.0.newText", "b"),
			None,
		},
		{tool("filesystem__create_directory", "path", own+"artifacts/new"), None},
		{tool("filesystem__read_text_file", "path", other+"state.md"), None},
		{tool("filesystem__list_directory", "path", afar+"triggers"), None},

		{tool("filesystem__write_file", "path", own+"CLAUDE.md", "content", "x"), Deny},
		{tool("filesystem__write_file", "path", own+"artifacts/../AGENTS.md", "content", "x"), Deny},
		{tool("filesystem__edit_file", "path", own+".mcp.json", "edits.0.newText", "b"), Deny},
		{tool("filesystem__move_file", "source", own+"x", "destination", own+".claude/settings.json"), Deny},
		{tool("filesystem__write_file", "path", afar+"triggers/x.md", "content", "x"), Deny},
		{tool("filesystem__write_file", "path", other+"../../suggestions/x.md", "content", "x"), Deny},
		{tool("filesystem__edit_file", "path", afar+"memory/fact.md", "edits.0.newText", "b"), Deny},
		{tool("filesystem__move_file", "source", own+"x.md", "destination", afar+"triggers/x.md"), Deny},
		{tool("filesystem__move_file", "source", afar+"audit/actions.log", "destination", own+"x"), Deny},
		{tool("filesystem__create_directory", "path", afar+"modules/mail"), Deny},
		{tool("fs__copy_file", "from", own+"x", "to", afar+"triggers/x.md"), Deny},
		{tool("fs__copy_file", "src", own+"x", "dst", afar+"triggers/x.md"), Deny},
		{tool("fs__create_symlink", "target", afar+"triggers", "link", own+"t"), Deny},
		{tool("fs__append_to_file", "file_path", afar+"gaps.md", "text", "x"), Deny},
		{tool("editor__str_replace", "path", afar+"identity.md", "old_str", "a"), Deny},
		{tool("fs__delete_file", "path", afar+"suggestions/x.md"), Deny},
		{tool("fs__mkdir", "path", afar+"modules/mail"), Deny},
		{tool("fs__touch", "path", afar+"triggers/x.md"), Deny},
		{tool("fs__extract_archive", "archive", own+"a.zip", "destination", afar+"triggers"), Deny},
		{tool("fs__download_file", "url", "https://x.example/a", "path", afar+"triggers/x.md"), Deny},
		{tool("fs__truncate_file", "path", afar+"audit/actions.log"), Deny},
		{tool("fs__write_files", "files.0.path", own+"a", "files.1.path", afar+"triggers/x.md"), Deny},

		{tool("filesystem__write_file", "path", other+"state.md", "content", "x"), Ask},
		{tool("filesystem__write_file", "path", testTasks+"/new/state.md", "content", "x"), Ask},
		{tool("filesystem__edit_file", "path", "../taxes/state.md", "edits.0.newText", "b"), Ask},
		{tool("filesystem__move_file", "source", other+"state.md", "destination", own+"x"), Ask},
		{tool("filesystem__move_file", "source", own+"x", "destination", other+"state.md"), Ask},
		{tool("filesystem__create_directory", "path", testTasks+"/new"), Ask},
		{tool("filesystem__write_file", "path", testHome+"/notes.md", "content", "x"), Ask},
		{tool("fs__delete_file", "path", other+"checkpoint.md"), Ask},
	} {
		if d := Judge(c.call, taskContext()); d.Verdict != c.want {
			t.Errorf("%s %v: %q by %s, want %q\n\t%+v", c.call.Tool, c.call.Args, d.Verdict, d.Rule, c.want, d.Effects)
		}
	}
}

// TestTaskFromElsewhere: for any other session the folder of a task is a question, and the rest of
// the workspace is denied.
func TestTaskFromElsewhere(t *testing.T) {
	ctx := taskContext()
	ctx.Cwd, ctx.Project = testProject, testProject
	for call, want := range map[string]Verdict{
		"echo x > ~/afar/tasks/pay/state.md":    Ask,
		"echo x > ~/afar/tasks/pay/CLAUDE.md":   Ask,
		"mkdir -p ~/afar/tasks/new":             Ask,
		"echo x > ~/afar/suggestions/x.md":      Deny,
		"rm -rf ~/afar":                         Deny,
		"echo x > ~/notes.md":                   None,
		"cat ~/afar/tasks/pay/state.md | wc -l": None,
	} {
		if d := Judge(bash(call), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", call, d.Verdict, d.Rule, want)
		}
	}
}

// TestConfirm: where each outward act is confirmed, network clients, pushes, publishing and tools of
// servers that write are questions; what only looks, or stays here, is none.
func TestConfirm(t *testing.T) {
	ctx := taskContext()
	ctx.Confirm = true
	for call, want := range map[string]Verdict{
		"curl https://example.org":                  Ask,
		"ls && (cd artifacts; wget -q example.org)": Ask,
		"for f in *; do scp $f host:; done":         Ask,
		"git -C . push origin main":                 Ask,
		"sh -c 'gh pr comment 1 -b hello'":          Ask,
		"npm publish":                               Ask,
		"echo hi | mail -s x a@example.org":         Ask,
		"timeout 5 ssh host uptime":                 Ask,
		"git status && git commit -am x":            None,
		"echo x > state.md":                         None,
		"npm test":                                  None,
		"grep -r curl artifacts":                    None,
	} {
		if d := Judge(bash(call), ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", call, d.Verdict, d.Rule, want)
		}
	}
	for tool, want := range map[string]Verdict{
		"mcp__gmail__create_draft": Ask, "mcp__slack__post_message": Ask, "mcp__jira__transition_issue": Ask,
		"mcp__gmail__list_messages": None, "mcp__afar__search_memory": None, "Read": None,
	} {
		if d := Judge(Call{Tool: tool}, ctx); d.Verdict != want {
			t.Errorf("%s: %q by %s, want %q", tool, d.Verdict, d.Rule, want)
		}
	}
	ctx.Confirm = false
	if d := Judge(bash("curl https://example.org"), ctx); d.Verdict != None {
		t.Errorf("without it: %q by %s", d.Verdict, d.Rule)
	}
}

// TestOutward names the programs and tools through which calls reach other machines or people, in
// any session.
func TestOutward(t *testing.T) {
	ctx := testContext()
	for call, want := range map[string]string{
		"curl https://example.org":                             "curl",
		"ls && (cd a; wget -q example.org) | grep x":           "wget",
		"curl a.example; git push; curl b.example":             "curl git",
		"sh -c 'gh pr comment 1 -b hello'":                     "gh",
		"env -i timeout 5 /usr/bin/ssh host uptime":            "ssh",
		"npm publish && docker push example/x":                 "npm docker",
		"echo hi | mail -s x a@example.org":                    "mail",
		"git status && git commit -m 'push it' && npm test":    "",
		"git fetch && npm ci && docker build . && cargo build": "",
		"grep -r curl . && echo git push":                      "",
		"":                                                     "",
	} {
		if have := strings.Join(Outward(bash(call), ctx), " "); have != want {
			t.Errorf("%s: %q, want %q", call, have, want)
		}
	}
	for tool, want := range map[string]string{
		"mcp__mail__send_message": "mcp__mail__send_message",
		"mcp__github__get_issue":  "",
		"mcp__afar__post":         "",
		"Read":                    "",
	} {
		if have := strings.Join(Outward(Call{Tool: tool}, ctx), " "); have != want {
			t.Errorf("%s: %q, want %q", tool, have, want)
		}
	}
	if ctx.Confirm || Judge(bash("curl https://example.org"), ctx).Verdict != None {
		t.Error("to ask what a call reaches changes no verdict")
	}
}
