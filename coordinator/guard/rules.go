package guard

const (
	parkAfar  = "Leave Afar and its settings alone. If a change is needed, say which one and let the person make it outside the session."
	modAdvice = "Write the plugin into a folder of the project, and let the person load it: claude --plugin-dir FOLDER."
	narrower  = "Delete named files or subdirectories inside the project, or ask the person to delete this."
	saveFirst = "Save the work first: commit it or run `git stash push -u`, then look with `git status`."
)

// policies is the whole policy. Rows of one kind are tried in order; a row
// with the verdict None ends the search with no opinion. All of it is data that
// the compiler lays out: a hook that starts builds nothing.
var policies = []policy{
	// Afar and the host's guard rails.
	{Rule{"afar.decide", Deny, "Decides for the person", "Questions to the person are answered by the person alone. Only afar status, asks, log, post, read, issue and consult are for sessions."}, SteerAfar, when{}},
	{Rule{"afar.disable", Deny, "Switches Afar or its hooks off", parkAfar}, DisableAfar, when{}},
	{Rule{"afar.files", Deny, "Changes Afar's own files", parkAfar}, WriteFile, when{in: inOwn}},
	{Rule{"afar.files", Deny, "Deletes Afar's own files", parkAfar}, DeleteTree, when{in: inOwn}},
	{Rule{"afar.files", Deny, "Deletes Afar's own files", parkAfar}, DeleteFile, when{in: inOwn}},
	{Rule{"afar.files", Deny, "Moves Afar's own files away", parkAfar}, MoveAway, when{in: inOwn}},
	{Rule{"afar.files", Deny, "Changes the rights of Afar's own files", parkAfar}, ChangeMode, when{in: inOwn}},
	{Rule{"afar.files", Deny, "Overwrites Afar's own files", parkAfar}, DeleteCopies, when{op: ops{"local"}, in: inOwn}},
	{Rule{"afar.files", Deny, "Changes Afar's own files", parkAfar}, Discard, when{in: inOwn}},
	{Rule{"afar.secret", Deny, "Reads Afar's token or copies its programs", parkAfar}, ReadFile, when{is: ownSecret}},
	{Rule{"afar.process", Deny, "Ends Afar's processes", parkAfar}, KillProcess, when{is: ours}},
	{Rule{"afar.process", Deny, "Stops Afar's service", parkAfar}, StopService, when{is: ours}},
	{Rule{"host.mods", Deny, "Loads a mod, which can overrule the guard", modAdvice}, LoadMod, when{}},
	{Rule{"host.mods", Deny, "Writes a mod that the host loads, which can overrule the guard", modAdvice}, WriteFile, when{is: modFile}},
	{Rule{"host.skills", Ask, "Changes a skill, which later sessions follow", "Show the change to the skill, and let the person make it."}, WriteFile, when{is: skillFile}},
	{Rule{"host.folder", None, "", ""}, WriteFile, when{in: inHost, is: madeFolder}},
	{Rule{"host.folder", Ask, "Copies into the folder of the host's settings", "Name the files, and leave the settings out."}, WriteFile, when{in: inHost, is: settingsFolder}},
	{Rule{"host.setting", Ask, "Changes a setting of the host", "Say which setting is needed and why, and let the person set it."}, WriteFile, when{op: ops{otherSetting}, in: inHost}},
	{Rule{"host.settings", Deny, "Changes the settings that decide which hooks run", "Describe the change and let the person edit the settings."}, WriteFile, when{in: inHost}},
	{Rule{"host.settings", Deny, "Deletes the host's settings", "Leave the host's settings in place; the person edits them."}, DeleteTree, when{in: inHost}},
	{Rule{"host.settings", Deny, "Deletes the host's settings", "Leave the host's settings in place; the person edits them."}, DeleteFile, when{in: inHost}},
	{Rule{"host.settings", Deny, "Moves the host's settings away", "Leave the host's settings in place; the person edits them."}, MoveAway, when{in: inHost}},
	{Rule{"host.settings", Deny, "Changes the rights of the host's settings", "Leave the host's settings in place; the person edits them."}, ChangeMode, when{in: inHost}},
	{Rule{"host.settings", Deny, "Puts other settings of the host in their place", "Leave the host's settings in place; the person edits them."}, Discard, when{in: inHost}},
	{Rule{"afar.files", Deny, "Puts other files in the place of Afar's own", parkAfar}, Discard, when{in: inOwn}},
	{Rule{"host.plugins", Ask, "Changes the host's plugins, servers or settings", "Say which plugin or server is missing, and let the person add it."}, ChangeSystem, when{op: ops{"host"}}},
	{Rule{"terminal.type", Ask, "Types into a terminal, perhaps the person's", "Run the command yourself instead of typing it into another terminal."}, TypeInto, when{}},

	// Deleting.
	{Rule{"fs.delete-container", None, "", ""}, DeleteTree, when{is: inContainer}},
	{Rule{"fs.delete-container", None, "", ""}, DeleteFile, when{is: inContainer}},
	{Rule{"fs.delete-root", Deny, "Deletes the system", narrower}, DeleteTree, when{in: inRoot | inDevice}},
	{Rule{"fs.delete-home", Deny, "Deletes a home directory", narrower}, DeleteTree, when{in: inHome | inKeys}},
	{Rule{"fs.delete-project", Deny, "Deletes the whole project", narrower}, DeleteTree, when{in: inWhole}},
	{Rule{"fs.delete-git", Deny, "Deletes the repository's history", "Never delete .git. A stale lock is removed by its own name: .git/index.lock."}, DeleteTree, when{in: inRepo}},
	{Rule{"fs.delete-null", Ask, "Moves files into nothing", "Delete the file by name if it may go."}, DeleteTree, when{op: ops{"to /dev/null"}}},
	{Rule{"fs.git-rm", Ask, "Removes tracked files with their changes", saveFirst}, DeleteTree, when{op: ops{"git-force"}}},
	{Rule{"fs.delete-inside", None, "", ""}, DeleteTree, when{in: inProject | inTemp}},
	{Rule{"fs.delete-cached", None, "", ""}, DeleteTree, when{in: inElsewhere, is: rebuilt}},
	{Rule{"fs.delete-created", None, "", ""}, DeleteTree, when{in: inElsewhere | inSystem, is: created}},
	{Rule{"fs.delete-system", Ask, "Deletes below a system directory", narrower}, DeleteTree, when{in: inSystem}},
	{Rule{"fs.delete-elsewhere", Ask, "Deletes a tree outside the project", narrower}, DeleteTree, when{}},
	{Rule{"fs.delete-git", Deny, "Deletes a part of the repository's history", "Use git commands; remove only stale lock files by hand."}, DeleteFile, when{in: inRepo}},
	{Rule{"fs.delete-root", Deny, "Deletes the system", narrower}, DeleteFile, when{in: inRoot | inDevice, is: globbed}},
	{Rule{"fs.delete-home", Deny, "Deletes what lies in a home directory", narrower}, DeleteFile, when{in: inHome, is: globbed}},
	{Rule{"fs.delete-all", Ask, "Deletes every file of the project's top directory", narrower}, DeleteFile, when{in: inWhole}},
	{Rule{"fs.shred", Ask, "Shreds a file beyond recovery", narrower}, DeleteFile, when{op: ops{"shred"}}},
	{Rule{"secret.delete", Ask, "Deletes credentials", "Leave keys in place; say which one is not needed any more."}, DeleteFile, when{is: secretRead}},
	{Rule{"fs.delete-system", Ask, "Deletes a system file", narrower}, DeleteFile, when{in: inSystem | inRoot | inHome}},
	{Rule{"fs.delete-start", Ask, "Deletes what runs at login or at start", "Set it for this command only, or in a file of the project such as .envrc."}, DeleteFile, when{is: startFile}},
	{Rule{"fs.delete-cached", None, "", ""}, DeleteFile, when{in: inElsewhere, is: rebuilt}},
	{Rule{"fs.delete-created", None, "", ""}, DeleteFile, when{in: inElsewhere, is: created}},
	{Rule{"fs.delete-elsewhere", Ask, "Deletes files outside the project", narrower}, DeleteFile, when{in: inElsewhere | inKeys, is: here}},
	{Rule{"fs.delete-inside", None, "", ""}, DeleteFile, when{}},
	{Rule{"fs.move-root", Deny, "Moves the system, a home or the repository away", narrower}, MoveAway, when{in: inRoot | inHome | inRepo | inDevice}},
	{Rule{"fs.move-project", Ask, "Moves the whole project away", narrower}, MoveAway, when{in: inWhole | inKeys}},
	{Rule{"secret.move", Ask, "Moves credentials", "Leave keys where their tools look for them; point the tool to the path instead."}, MoveAway, when{is: secretRead}},
	{Rule{"fs.move-system", Ask, "Moves a system file away", "Copy it into the project and work on the copy."}, MoveAway, when{in: inSystem}},

	// Writing.
	{Rule{"disk.write", Deny, "Writes to a disk past its file system", "Work on an image file in the project instead of a device."}, WriteFile, when{in: inDevice}},
	{Rule{"disk.write", Deny, "Formats or repartitions a disk", "Work on an image file in the project instead of a device."}, WriteDisk, when{}},
	{Rule{"host.plugins", Ask, "Changes the servers that the host starts", "Show the entry that .mcp.json needs, and let the person add it."}, WriteFile, when{is: serverList}},
	{Rule{"fs.write-repo", Ask, "Writes into the repository's own files", "Use git commands instead of editing .git."}, WriteFile, when{is: repoWrite}},
	{Rule{"fs.write-vital", Deny, "Overwrites a file that the system needs to start or to let people in", "Write the change to a file in the project, and let the person install it."}, WriteFile, when{is: vitalFile}},
	{Rule{"fs.write-start", Ask, "Changes what runs at login or at start", "Set it for this command only, or in a file of the project such as .envrc."}, WriteFile, when{is: startFile}},
	{Rule{"secret.write", Ask, "Overwrites credentials", "Write a template such as .env.example; the person fills it in."}, WriteFile, when{is: secretWrite}},
	{Rule{"fs.write-system", Ask, "Writes below a system directory", "Install below the project or the home, for example with --prefix."}, WriteFile, when{is: systemWrite}},
	{Rule{"fs.empty-elsewhere", None, "", ""}, WriteFile, when{op: ops{"truncate"}, in: inElsewhere, is: rebuilt}},
	{Rule{"fs.empty-elsewhere", None, "", ""}, WriteFile, when{op: ops{"truncate"}, in: inElsewhere, is: created}},
	{Rule{"fs.empty-elsewhere", Ask, "Empties a file outside the project", "Empty files of the project only, or ask the person to empty this one."}, WriteFile, when{op: ops{"truncate"}, in: inElsewhere, is: here}},
	{Rule{"fs.mode-root", Deny, "Changes rights of the system or a home, recursively", "Change the mode of named files only."}, ChangeMode, when{in: inRoot | inHome | inKeys, is: recursive}},
	{Rule{"fs.mode-setuid", Ask, "Makes a program run with its owner's rights", "Run it with the rights that the session has."}, ChangeMode, when{op: ops{"setuid", "setuid tree"}}},
	{Rule{"fs.mode-world", Ask, "Makes files writable for everybody", "Use 755 or 644, or add the right for one user or group."}, ChangeMode, when{op: ops{"world", "world tree"}}},
	{Rule{"fs.mode-system", Ask, "Changes rights outside the project, recursively", "Change the mode of named files only."}, ChangeMode, when{in: inSystem | inRoot | inHome | inElsewhere | inOpen, is: recursive}},
	{Rule{"fs.mode-system", Ask, "Changes rights of system files", "Copy the file into the project and change the copy."}, ChangeMode, when{in: inSystem | inRoot}},

	// Credentials.
	{Rule{"secret.read", Ask, "Reads credentials", "Name the variable or key you need; the person provides it."}, ReadFile, when{is: secretRead}},
	{Rule{"secret.reveal", Ask, "Shows a secret in the transcript", "Use the variable without printing it."}, RevealSecret, when{}},
	{Rule{"secret.send", Deny, "Sends credentials to another machine", "Never send keys, tokens or .env files anywhere."}, SendOut, when{op: ops{"secret"}}},
	{Rule{"data.send", Ask, "Sends data to other people", "Write the text to a file or show it; the person sends it."}, SendOut, when{}},

	// Git.
	{Rule{"git.reset-hard", None, "", ""}, Discard, when{op: ops{"reset-hard", "reset-merge"}, is: cleanTracked}},
	{Rule{"git.reset-hard", Ask, "Resets the tree and the branch", "Keep the commits: `git branch KEEP` first, or `git reset --keep`."}, Discard, when{op: ops{"reset-hard-to", "read-tree"}, is: cleanTree}},
	{Rule{"git.reset-hard", Deny, "Throws uncommitted work away", saveFirst}, Discard, when{op: ops{"reset-hard", "reset-hard-to", "reset-merge", "read-tree"}}},
	{Rule{"git.checkout-force", None, "", ""}, Discard, when{op: ops{"checkout-force", "switch-force"}, is: cleanTree}},
	{Rule{"git.restore-all", None, "", ""}, Discard, when{op: ops{"restore-all", "restore-path"}, is: cleanTracked}},
	{Rule{"git.checkout-force", Deny, "Switches branches over uncommitted work", saveFirst}, Discard, when{op: ops{"checkout-force", "switch-force"}}},
	{Rule{"git.restore-all", Deny, "Throws all uncommitted work away", saveFirst}, Discard, when{op: ops{"restore-all"}}},
	{Rule{"git.restore-path", Ask, "Throws uncommitted changes of files away", "Look at `git diff` of the file first, or stash it: `git stash push FILE`."}, Discard, when{op: ops{"restore-path"}}},
	{Rule{"git.clean", None, "", ""}, Discard, when{op: ops{"clean"}, is: noUntracked}},
	{Rule{"git.clean", Deny, "Deletes untracked files", "List them with `git clean -n`, then delete by name what you made yourself."}, Discard, when{op: ops{"clean", "clean-all"}}},
	{Rule{"git.clean-path", Ask, "Deletes untracked or ignored files", "List them with `git clean -n`, then delete by name."}, Discard, when{op: ops{"clean-path", "clean-ignored"}}},
	{Rule{"git.stash-clear", Deny, "Deletes every stash", "Drop one stash by its name after `git stash show -p`."}, Discard, when{op: ops{"stash-clear"}}},
	{Rule{"git.stash-drop", Ask, "Deletes a stash", "Look at it with `git stash show -p` first."}, Discard, when{op: ops{"stash-drop"}}},
	{Rule{"git.give-up", None, "", ""}, Discard, when{op: ops{"give-up"}}},
	{Rule{"git.worktree", Ask, "Removes a worktree with its changes", "Commit in the worktree, then remove it without --force."}, Discard, when{}},
	{Rule{"git.push-mirror", Deny, "Overwrites every branch of the remote", "Push one branch by its name."}, PushForce, when{op: ops{"mirror", "all"}}},
	{Rule{"git.push-force-main", Deny, "Rewrites the default branch of the remote", "Push a new branch and open a pull request."}, PushForce, when{is: mainBranch}},
	{Rule{"git.push-force-main", Deny, "Rewrites a remote branch without naming it", "Name the branch: git push --force-with-lease origin BRANCH."}, PushForce, when{op: ops{"force"}, is: currentUnknown}},
	{Rule{"git.push-force", Ask, "Rewrites a remote branch", "Use --force-with-lease and name the branch."}, PushForce, when{op: ops{"lease"}, is: currentUnknown}},
	{Rule{"git.push-lease", None, "", ""}, PushForce, when{op: ops{"lease"}}},
	{Rule{"git.push-force", Ask, "Rewrites a remote branch", "Use --force-with-lease and name the branch."}, PushForce, when{}},
	{Rule{"git.delete-main", Deny, "Deletes the default branch of the remote", "Leave the default branch; make and delete branches of your own."}, PushDelete, when{op: ops{"branch"}, is: mainNamed}},
	{Rule{"git.push-delete", Ask, "Deletes a branch or tag of the remote", "Name the branch and say that it is merged; the forge deletes it with the pull request."}, PushDelete, when{}},
	{Rule{"afar.undo", Deny, "Deletes what an undo is made of", parkAfar}, RewriteRefs, when{is: undoRef}},
	{Rule{"git.branch-main", Deny, "Deletes the default branch", "Delete only branches you made."}, RewriteRefs, when{op: ops{"branch-delete-force", "ref-delete"}, is: mainNamed}},
	{Rule{"git.branch-delete", Ask, "Deletes the default branch", "Delete only branches you made."}, RewriteRefs, when{op: ops{"branch-delete"}, is: mainNamed}},
	{Rule{"git.branch-delete", None, "", ""}, RewriteRefs, when{op: ops{"branch-delete"}}},
	{Rule{"git.branch-force", None, "", ""}, RewriteRefs, when{op: ops{"branch-delete-force", "ref-delete"}, is: merged}},
	{Rule{"git.branch-force", Ask, "Deletes or moves a branch that may not be merged", "Use `git branch -d`, which refuses to lose commits."}, RewriteRefs, when{op: ops{"branch-delete-force", "branch-force", "ref-delete"}}},
	{Rule{"git.branch-force", Ask, "Moves the default branch, whatever is committed there", "Make a branch under another name, or merge."}, RewriteRefs, when{op: ops{"branch-reset"}, is: mainNamed}},
	{Rule{"git.branch-reset", None, "", ""}, RewriteRefs, when{op: ops{"branch-reset"}}},
	{Rule{"git.reflog", Deny, "Destroys the record that brings lost commits back", "Leave the reflog and unreachable objects alone."}, RewriteRefs, when{op: ops{"reflog", "prune"}}},
	{Rule{"git.filter", Ask, "Rewrites the history of every branch", "Make a backup clone first, and let the person decide."}, RewriteRefs, when{op: ops{"filter"}}},
	{Rule{"git.rebase", None, "", ""}, RewriteRefs, when{op: ops{"rebase"}}},
	{Rule{"git.refs", Ask, "Deletes a tag, a remote or stored objects", "Make a new tag or remote under another name, and leave the old one."}, RewriteRefs, when{}},
	{Rule{"git.settings", Ask, "Makes git run a program of its own", "Pass the setting for one command with `git -c`, or run the program yourself."}, GitSettings, when{}},

	// Running.
	{Rule{"run.network", Ask, "Runs code straight from the network", "Download it to a file, read it, then run the file."}, RunUnknown, when{op: ops{"network", "manifest"}}},
	{Rule{"run.encoded", Ask, "Runs code that was encoded or encrypted", "Write the commands out in plain text."}, RunUnknown, when{op: ops{"decoded"}}},
	{Rule{"run.opaque", None, "", ""}, RunUnknown, when{is: benignCode}},
	{Rule{"run.opaque", Ask, "Runs code that cannot be seen", "Write the commands out instead of evaluating a variable or a program's output."}, RunUnknown, when{}},
	{Rule{"run.reverse-shell", Deny, "Opens a shell for another machine", "Never connect a shell to the network."}, ReverseShell, when{}},
	{Rule{"run.fork-bomb", Deny, "Exhausts the machine", "Start a bounded number of processes."}, ForkBomb, when{}},
	{Rule{"run.elevated", Ask, "Runs with more rights than the session has", "Do it without sudo, or let the person run it."}, RunElevated, when{is: elevatedRisk}},
	{Rule{"run.later", Ask, "Installs something that runs later", "Run it once now, or write the entry to a file for the person to install."}, Persist, when{}},

	// Data.
	{Rule{"db.drop", Deny, "Drops a whole database", "Use a database made for this work, or let the person drop it."}, DropData, when{op: ops{"database"}}},
	{Rule{"db.rows", Ask, "Deletes or overwrites data in a database", "Add a WHERE clause and look at the rows with SELECT first."}, DropData, when{op: ops{"rows", "values"}}},
	{Rule{"db.key", Ask, "Deletes keys of a store", "Let the key expire, or use a database number of your own: redis-cli -n 9."}, DropData, when{op: ops{"key"}}},
	{Rule{"db.object", Ask, "Drops a part of a database", "Use a migration that can be undone, and say what it drops."}, DropData, when{}},

	// Elsewhere.
	{Rule{"remote.teardown", Deny, "Tears down something hosted, with its data", "Show what would go (plan -destroy, describe, list) and let the person run it."}, DestroyRemote, when{op: ops{"teardown"}}},
	{Rule{"remote.destroy", Ask, "Deletes something hosted", "Look first: the same command with get, describe, list or --dry-run."}, DestroyRemote, when{}},
	{Rule{"remote.change", Ask, "Changes something hosted", "Show the plan or the diff first: plan, preview, diff, --dry-run."}, ChangeRemote, when{}},
	{Rule{"copy.delete-here", None, "", ""}, DeleteCopies, when{op: ops{"local"}, in: inTemp}},
	{Rule{"copy.delete-root", Deny, "Overwrites the system, a home or the project with something else", narrower}, DeleteCopies, when{op: ops{"local"}, in: inRoot | inHome | inWhole | inRepo | inKeys | inHost}},
	{Rule{"copy.delete", Ask, "Deletes in the destination what the source lacks", "Run it with --dry-run first, or without deletion."}, DeleteCopies, when{}},
	{Rule{"publish", Ask, "Publishes to others", "Let the person publish, or use --dry-run."}, PublishOut, when{}},

	// The machine.
	{Rule{"local.volumes", Ask, "Deletes volumes or images with their data", "Remove named containers or volumes that you made."}, PruneLocal, when{}},
	{Rule{"process.all", Deny, "Ends every process", "End one process by its pid."}, KillProcess, when{op: ops{"all"}}},
	{Rule{"process.kill", Ask, "Ends processes by name or pattern", "End the processes you started, by pid."}, KillProcess, when{op: ops{"by pattern", "by name", "by file", "terminal", "found"}}},
	{Rule{"service.stop", Ask, "Stops or restarts a service", "Start a copy of your own on another port, or look with status and logs."}, StopService, when{}},
	{Rule{"machine.power", Deny, "Shuts the machine down or restarts it", "Restart the one service or container instead, or say why the machine must restart."}, Power, when{}},
	{Rule{"machine.packages", Ask, "Removes installed packages", "Use a virtual environment or a container, where nothing has to be removed."}, RemovePackage, when{}},
	{Rule{"machine.settings", Ask, "Changes accounts, firewall or system settings", "Use a container or a user setting instead, and say what the machine lacks."}, ChangeSystem, when{}},

	// An agent that only reads.
	{Rule{"agent.reads", Deny, "Does more than read, in an agent that may only read", readingAdvice}, BeyondReading, when{}},

	// What was not understood.
	{Rule{"call.unreadable-protected", Deny, "Names something protected in a command that cannot be read", "Write it as plain, short commands with balanced quotes."}, Unreadable, when{is: mentionsOurs}},
	{Rule{"call.unreadable", Ask, "The command could not be read to its end", "Write it as plain, short commands: balanced quotes, no deep nesting, one step per call."}, Unreadable, when{}},
}
