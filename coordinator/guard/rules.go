package guard

// unreadableRule is what a call gets that we could not follow to its end.
var unreadableRule = &policy{Rule{"call.unreadable", Ask, "The command could not be read to its end",
	"Write it as plain, short commands: balanced quotes, no deep nesting, one step per call."}, Unreadable, nil}

const (
	parkAfar  = "Leave Afar and its settings alone. If a change is needed, say which one and let the person make it outside the session."
	narrower  = "Delete named files or subdirectories inside the project, or ask the person to delete this."
	saveFirst = "Save the work first: commit it or run `git stash push -u`, then look with `git status`."
)

// policies is the whole policy. Rows of one kind are tried in order; a row
// with the verdict None ends the search with no opinion.
var policies = []policy{
	// Afar and the host's guard rails.
	{Rule{"afar.decide", Deny, "Decides for the person", "Questions to the person are answered by the person alone. Only afar status, asks, log, post, read, issue and consult are for sessions."}, SteerAfar, nil},
	{Rule{"afar.disable", Deny, "Switches Afar or its hooks off", parkAfar}, DisableAfar, nil},
	{Rule{"afar.files", Deny, "Changes Afar's own files", parkAfar}, WriteFile, in(inOwn)},
	{Rule{"afar.files", Deny, "Deletes Afar's own files", parkAfar}, DeleteTree, in(inOwn)},
	{Rule{"afar.files", Deny, "Deletes Afar's own files", parkAfar}, DeleteFile, in(inOwn)},
	{Rule{"afar.files", Deny, "Moves Afar's own files away", parkAfar}, MoveAway, in(inOwn)},
	{Rule{"afar.files", Deny, "Changes the rights of Afar's own files", parkAfar}, ChangeMode, in(inOwn)},
	{Rule{"afar.files", Deny, "Overwrites Afar's own files", parkAfar}, DeleteCopies, both(op("local"), in(inOwn))},
	{Rule{"afar.files", Deny, "Changes Afar's own files", parkAfar}, Discard, in(inOwn)},
	{Rule{"afar.secret", Deny, "Reads Afar's token or copies its programs", parkAfar}, ReadFile, ownSecret},
	{Rule{"afar.process", Deny, "Ends Afar's processes", parkAfar}, KillProcess, ours},
	{Rule{"afar.process", Deny, "Stops Afar's service", parkAfar}, StopService, ours},
	{Rule{"host.folder", None, "", ""}, WriteFile, both(in(inHost), madeFolder)},
	{Rule{"host.folder", Ask, "Copies into the folder of the host's settings", "Name the files, and leave the settings out."}, WriteFile, both(in(inHost), settingsFolder)},
	{Rule{"host.settings", Deny, "Changes the settings that decide which hooks run", "Describe the change and let the person edit the settings."}, WriteFile, in(inHost)},
	{Rule{"host.settings", Deny, "Deletes the host's settings", "Leave the host's settings in place; the person edits them."}, DeleteTree, in(inHost)},
	{Rule{"host.settings", Deny, "Deletes the host's settings", "Leave the host's settings in place; the person edits them."}, DeleteFile, in(inHost)},
	{Rule{"host.settings", Deny, "Moves the host's settings away", "Leave the host's settings in place; the person edits them."}, MoveAway, in(inHost)},
	{Rule{"host.settings", Deny, "Changes the rights of the host's settings", "Leave the host's settings in place; the person edits them."}, ChangeMode, in(inHost)},
	{Rule{"host.settings", Deny, "Puts other settings of the host in their place", "Leave the host's settings in place; the person edits them."}, Discard, in(inHost)},
	{Rule{"afar.files", Deny, "Puts other files in the place of Afar's own", parkAfar}, Discard, in(inOwn)},
	{Rule{"host.plugins", Ask, "Changes the host's plugins, servers or settings", "Say which plugin or server is missing, and let the person add it."}, ChangeSystem, op("host")},
	{Rule{"terminal.type", Ask, "Types into a terminal, perhaps the person's", "Run the command yourself instead of typing it into another terminal."}, TypeInto, nil},

	// Deleting.
	{Rule{"fs.delete-container", None, "", ""}, DeleteTree, inContainer},
	{Rule{"fs.delete-container", None, "", ""}, DeleteFile, inContainer},
	{Rule{"fs.delete-root", Deny, "Deletes the system", narrower}, DeleteTree, in(inRoot, inDevice)},
	{Rule{"fs.delete-home", Deny, "Deletes a home directory", narrower}, DeleteTree, in(inHome, inKeys)},
	{Rule{"fs.delete-project", Deny, "Deletes the whole project", narrower}, DeleteTree, in(inWhole)},
	{Rule{"fs.delete-git", Deny, "Deletes the repository's history", "Never delete .git. A stale lock is removed by its own name: .git/index.lock."}, DeleteTree, in(inRepo)},
	{Rule{"fs.delete-null", Ask, "Moves files into nothing", "Delete the file by name if it may go."}, DeleteTree, op("to /dev/null")},
	{Rule{"fs.git-rm", Ask, "Removes tracked files with their changes", saveFirst}, DeleteTree, op("git-force")},
	{Rule{"fs.delete-inside", None, "", ""}, DeleteTree, in(inProject, inTemp)},
	{Rule{"fs.delete-cached", None, "", ""}, DeleteTree, both(in(inElsewhere), rebuilt)},
	{Rule{"fs.delete-created", None, "", ""}, DeleteTree, both(in(inElsewhere, inSystem), created)},
	{Rule{"fs.delete-system", Ask, "Deletes below a system directory", narrower}, DeleteTree, in(inSystem)},
	{Rule{"fs.delete-elsewhere", Ask, "Deletes a tree outside the project", narrower}, DeleteTree, nil},
	{Rule{"fs.delete-git", Deny, "Deletes a part of the repository's history", "Use git commands; remove only stale lock files by hand."}, DeleteFile, in(inRepo)},
	{Rule{"fs.delete-root", Deny, "Deletes the system", narrower}, DeleteFile, both(in(inRoot, inDevice), globbed)},
	{Rule{"fs.delete-home", Deny, "Deletes what lies in a home directory", narrower}, DeleteFile, both(in(inHome), globbed)},
	{Rule{"fs.delete-all", Ask, "Deletes every file of the project's top directory", narrower}, DeleteFile, in(inWhole)},
	{Rule{"fs.shred", Ask, "Shreds a file beyond recovery", narrower}, DeleteFile, op("shred")},
	{Rule{"secret.delete", Ask, "Deletes credentials", "Leave keys in place; say which one is not needed any more."}, DeleteFile, secretRead},
	{Rule{"fs.delete-system", Ask, "Deletes a system file", narrower}, DeleteFile, in(inSystem, inRoot, inHome)},
	{Rule{"fs.delete-inside", None, "", ""}, DeleteFile, nil},
	{Rule{"fs.move-root", Deny, "Moves the system, a home or the repository away", narrower}, MoveAway, in(inRoot, inHome, inRepo, inDevice)},
	{Rule{"fs.move-project", Ask, "Moves the whole project away", narrower}, MoveAway, in(inWhole, inKeys)},
	{Rule{"secret.move", Ask, "Moves credentials", "Leave keys where their tools look for them; point the tool to the path instead."}, MoveAway, secretRead},
	{Rule{"fs.move-system", Ask, "Moves a system file away", "Copy it into the project and work on the copy."}, MoveAway, in(inSystem)},

	// Writing.
	{Rule{"disk.write", Deny, "Writes to a disk past its file system", "Work on an image file in the project instead of a device."}, WriteFile, in(inDevice)},
	{Rule{"disk.write", Deny, "Formats or repartitions a disk", "Work on an image file in the project instead of a device."}, WriteDisk, nil},
	{Rule{"host.plugins", Ask, "Changes the servers that the host starts", "Show the entry that .mcp.json needs, and let the person add it."}, WriteFile, serverList},
	{Rule{"fs.write-repo", Ask, "Writes into the repository's own files", "Use git commands instead of editing .git."}, WriteFile, repoWrite},
	{Rule{"fs.write-vital", Deny, "Overwrites a file that the system needs to start or to let people in", "Write the change to a file in the project, and let the person install it."}, WriteFile, vitalFile},
	{Rule{"fs.write-start", Ask, "Changes what runs at login or at start", "Set it for this command only, or in a file of the project such as .envrc."}, WriteFile, startFile},
	{Rule{"secret.write", Ask, "Overwrites credentials", "Write a template such as .env.example; the person fills it in."}, WriteFile, secretWrite},
	{Rule{"fs.write-system", Ask, "Writes below a system directory", "Install below the project or the home, for example with --prefix."}, WriteFile, systemWrite},
	{Rule{"fs.mode-root", Deny, "Changes rights of the system or a home, recursively", "Change the mode of named files only."}, ChangeMode, both(recursive, in(inRoot, inHome, inKeys))},
	{Rule{"fs.mode-setuid", Ask, "Makes a program run with its owner's rights", "Run it with the rights that the session has."}, ChangeMode, op("setuid", "setuid tree")},
	{Rule{"fs.mode-world", Ask, "Makes files writable for everybody", "Use 755 or 644, or add the right for one user or group."}, ChangeMode, op("world", "world tree")},
	{Rule{"fs.mode-system", Ask, "Changes rights outside the project, recursively", "Change the mode of named files only."}, ChangeMode, both(recursive, in(inSystem, inRoot, inHome, inElsewhere, inOpen))},
	{Rule{"fs.mode-system", Ask, "Changes rights of system files", "Copy the file into the project and change the copy."}, ChangeMode, in(inSystem, inRoot)},

	// Credentials.
	{Rule{"secret.read", Ask, "Reads credentials", "Name the variable or key you need; the person provides it."}, ReadFile, secretRead},
	{Rule{"secret.reveal", Ask, "Shows a secret in the transcript", "Use the variable without printing it."}, RevealSecret, nil},
	{Rule{"secret.send", Deny, "Sends credentials to another machine", "Never send keys, tokens or .env files anywhere."}, SendOut, op("secret")},
	{Rule{"data.send", Ask, "Sends data to other people", "Write the text to a file or show it; the person sends it."}, SendOut, nil},

	// Git.
	{Rule{"git.reset-hard", None, "", ""}, Discard, both(op("reset-hard", "reset-merge"), cleanTree)},
	{Rule{"git.reset-hard", Ask, "Resets the tree and the branch", "Keep the commits: `git branch KEEP` first, or `git reset --keep`."}, Discard, both(op("reset-hard-to", "read-tree"), cleanTree)},
	{Rule{"git.reset-hard", Deny, "Throws uncommitted work away", saveFirst}, Discard, op("reset-hard", "reset-hard-to", "reset-merge", "read-tree")},
	{Rule{"git.checkout-force", None, "", ""}, Discard, both(op("checkout-force", "switch-force", "restore-all", "restore-path"), cleanTree)},
	{Rule{"git.checkout-force", Deny, "Switches branches over uncommitted work", saveFirst}, Discard, op("checkout-force", "switch-force")},
	{Rule{"git.restore-all", Deny, "Throws all uncommitted work away", saveFirst}, Discard, op("restore-all")},
	{Rule{"git.restore-path", Ask, "Throws uncommitted changes of files away", "Look at `git diff` of the file first, or stash it: `git stash push FILE`."}, Discard, op("restore-path")},
	{Rule{"git.clean", None, "", ""}, Discard, both(op("clean"), cleanTree)},
	{Rule{"git.clean", Deny, "Deletes untracked files", "List them with `git clean -n`, then delete by name what you made yourself."}, Discard, op("clean", "clean-all")},
	{Rule{"git.clean-path", Ask, "Deletes untracked or ignored files", "List them with `git clean -n`, then delete by name."}, Discard, op("clean-path", "clean-ignored")},
	{Rule{"git.stash-clear", Deny, "Deletes every stash", "Drop one stash by its name after `git stash show -p`."}, Discard, op("stash-clear")},
	{Rule{"git.stash-drop", Ask, "Deletes a stash", "Look at it with `git stash show -p` first."}, Discard, op("stash-drop")},
	{Rule{"git.worktree", Ask, "Removes a worktree with its changes", "Commit in the worktree, then remove it without --force."}, Discard, nil},
	{Rule{"git.push-mirror", Deny, "Overwrites every branch of the remote", "Push one branch by its name."}, PushForce, op("mirror", "all")},
	{Rule{"git.push-force-main", Deny, "Rewrites the default branch of the remote", "Push a new branch and open a pull request."}, PushForce, mainBranch},
	{Rule{"git.push-force-main", Deny, "Rewrites a remote branch without naming it", "Name the branch: git push --force-with-lease origin BRANCH."}, PushForce, both(op("force"), currentUnknown)},
	{Rule{"git.push-force", Ask, "Rewrites a remote branch", "Use --force-with-lease and name the branch."}, PushForce, both(op("lease"), currentUnknown)},
	{Rule{"git.push-lease", None, "", ""}, PushForce, op("lease")},
	{Rule{"git.push-force", Ask, "Rewrites a remote branch", "Use --force-with-lease and name the branch."}, PushForce, nil},
	{Rule{"git.delete-main", Deny, "Deletes the default branch of the remote", "Leave the default branch; make and delete branches of your own."}, PushDelete, both(op("branch"), mainNamed)},
	{Rule{"git.push-delete", Ask, "Deletes a branch or tag of the remote", "Name the branch and say that it is merged; the forge deletes it with the pull request."}, PushDelete, nil},
	{Rule{"afar.undo", Deny, "Deletes what an undo is made of", parkAfar}, RewriteRefs, undoRef},
	{Rule{"git.branch-main", Deny, "Deletes the default branch", "Delete only branches you made."}, RewriteRefs, both(op("branch-delete-force", "ref-delete"), mainNamed)},
	{Rule{"git.branch-delete", Ask, "Deletes the default branch", "Delete only branches you made."}, RewriteRefs, both(op("branch-delete"), mainNamed)},
	{Rule{"git.branch-delete", None, "", ""}, RewriteRefs, op("branch-delete")},
	{Rule{"git.branch-force", None, "", ""}, RewriteRefs, both(op("branch-delete-force", "ref-delete"), merged)},
	{Rule{"git.branch-force", Ask, "Deletes or moves a branch that may not be merged", "Use `git branch -d`, which refuses to lose commits."}, RewriteRefs, op("branch-delete-force", "branch-force", "ref-delete")},
	{Rule{"git.reflog", Deny, "Destroys the record that brings lost commits back", "Leave the reflog and unreachable objects alone."}, RewriteRefs, op("reflog", "prune")},
	{Rule{"git.filter", Ask, "Rewrites the history of every branch", "Make a backup clone first, and let the person decide."}, RewriteRefs, op("filter")},
	{Rule{"git.refs", Ask, "Deletes a tag, a remote or stored objects", "Make a new tag or remote under another name, and leave the old one."}, RewriteRefs, nil},
	{Rule{"git.settings", Ask, "Makes git run a program of its own", "Pass the setting for one command with `git -c`, or run the program yourself."}, GitSettings, nil},

	// Running.
	{Rule{"run.network", Ask, "Runs code straight from the network", "Download it to a file, read it, then run the file."}, RunUnknown, op("network", "manifest")},
	{Rule{"run.encoded", Ask, "Runs code that was encoded or encrypted", "Write the commands out in plain text."}, RunUnknown, op("decoded")},
	{Rule{"run.opaque", None, "", ""}, RunUnknown, op("")},
	{Rule{"run.opaque", Ask, "Runs code that cannot be seen", "Write the commands out instead of evaluating a variable or a program's output."}, RunUnknown, nil},
	{Rule{"run.reverse-shell", Deny, "Opens a shell for another machine", "Never connect a shell to the network."}, ReverseShell, nil},
	{Rule{"run.fork-bomb", Deny, "Exhausts the machine", "Start a bounded number of processes."}, ForkBomb, nil},
	{Rule{"run.elevated", Ask, "Runs with more rights than the session has", "Do it without sudo, or let the person run it."}, RunElevated, elevatedRisk},
	{Rule{"run.later", Ask, "Installs something that runs later", "Run it once now, or write the entry to a file for the person to install."}, Persist, nil},

	// Data.
	{Rule{"db.drop", Deny, "Drops a whole database", "Use a database made for this work, or let the person drop it."}, DropData, op("database")},
	{Rule{"db.rows", Ask, "Deletes or overwrites data in a database", "Add a WHERE clause and look at the rows with SELECT first."}, DropData, op("rows", "values")},
	{Rule{"db.key", Ask, "Deletes keys of a store", "Let the key expire, or use a database number of your own: redis-cli -n 9."}, DropData, op("key")},
	{Rule{"db.object", Ask, "Drops a part of a database", "Use a migration that can be undone, and say what it drops."}, DropData, nil},

	// Elsewhere.
	{Rule{"remote.teardown", Deny, "Tears down something hosted, with its data", "Show what would go (plan -destroy, describe, list) and let the person run it."}, DestroyRemote, op("teardown")},
	{Rule{"remote.destroy", Ask, "Deletes something hosted", "Look first: the same command with get, describe, list or --dry-run."}, DestroyRemote, nil},
	{Rule{"remote.change", Ask, "Changes something hosted", "Show the plan or the diff first: plan, preview, diff, --dry-run."}, ChangeRemote, nil},
	{Rule{"copy.delete-here", None, "", ""}, DeleteCopies, both(op("local"), in(inTemp))},
	{Rule{"copy.delete-root", Deny, "Overwrites the system, a home or the project with something else", narrower}, DeleteCopies, both(op("local"), in(inRoot, inHome, inWhole, inRepo, inKeys, inHost))},
	{Rule{"copy.delete", Ask, "Deletes in the destination what the source lacks", "Run it with --dry-run first, or without deletion."}, DeleteCopies, nil},
	{Rule{"publish", Ask, "Publishes to others", "Let the person publish, or use --dry-run."}, PublishOut, nil},

	// The machine.
	{Rule{"local.volumes", Ask, "Deletes volumes or images with their data", "Remove named containers or volumes that you made."}, PruneLocal, nil},
	{Rule{"process.all", Deny, "Ends every process", "End one process by its pid."}, KillProcess, op("all")},
	{Rule{"process.kill", Ask, "Ends processes by name or pattern", "End the processes you started, by pid."}, KillProcess, op("by pattern", "by name", "by file", "terminal", "found")},
	{Rule{"service.stop", Ask, "Stops or restarts a service", "Start a copy of your own on another port, or look with status and logs."}, StopService, nil},
	{Rule{"machine.power", Deny, "Shuts the machine down or restarts it", "Restart the one service or container instead, or say why the machine must restart."}, Power, nil},
	{Rule{"machine.packages", Ask, "Removes installed packages", "Use a virtual environment or a container, where nothing has to be removed."}, RemovePackage, nil},
	{Rule{"machine.settings", Ask, "Changes accounts, firewall or system settings", "Use a container or a user setting instead, and say what the machine lacks."}, ChangeSystem, nil},

	// An agent that only reads.
	{Rule{"agent.reads", Deny, "Does more than read, in an agent that may only read", readingAdvice}, BeyondReading, nil},

	// What was not understood.
	{Rule{"call.unreadable-protected", Deny, "Names something protected in a command that cannot be read", "Write it as plain, short commands with balanced quotes."}, Unreadable, mentionsOurs},
	*unreadableRule,
}
