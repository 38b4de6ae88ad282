package judge

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
)

const (
	parkAfar  = "Leave Afar and its settings alone. If a change is needed, say which one and let the person make it outside the session."
	modAdvice = "Write the plugin into a folder of the project, and let the person load it: claude --plugin-dir FOLDER."
	narrower  = "Delete named files or subdirectories inside the project, or ask the person to delete this."
	saveFirst = "Save the work first: commit it or run `git stash push -u`, then look with `git status`."
)

// readingAdvice is what an agent that only reads is told of anything else.
const readingAdvice = "You only read: look with Read, Grep, Glob or commands such as `git diff`, `ls` and `cat`, " +
	"and ask with `afar consult`. Write what should be changed into your answer."

// policies is the whole policy. Rows of one kind are tried in order; a row
// with the verdict None ends the search with no opinion. All of it is data that
// the compiler lays out: a hook that starts builds nothing.
var policies = []policy{
	// Afar and the host's guard rails.
	{Rule{ID: "afar.decide", Verdict: Deny, Why: "Decides for the person", Instead: "Questions to the person are answered by the person alone. Only afar status, asks, log, post, read, issue and consult are for sessions."}, effect.SteerAfar, when{}},
	{Rule{ID: "afar.disable", Verdict: Deny, Why: "Switches Afar or its hooks off", Instead: parkAfar}, effect.DisableAfar, when{}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Changes Afar's own files", Instead: parkAfar}, effect.WriteFile, when{in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Deletes Afar's own files", Instead: parkAfar}, effect.DeleteTree, when{in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Deletes Afar's own files", Instead: parkAfar}, effect.DeleteFile, when{in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Moves Afar's own files away", Instead: parkAfar}, effect.MoveAway, when{in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Changes the rights of Afar's own files", Instead: parkAfar}, effect.ChangeMode, when{in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Overwrites Afar's own files", Instead: parkAfar}, effect.DeleteCopies, when{op: ops{effect.Local}, in: inOwn}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Changes Afar's own files", Instead: parkAfar}, effect.Discard, when{in: inOwn}},
	{Rule{ID: "afar.secret", Verdict: Deny, Why: "Reads Afar's token or copies its programs", Instead: parkAfar}, effect.ReadFile, when{is: ownSecret}},
	{Rule{ID: "afar.process", Verdict: Deny, Why: "Ends Afar's processes", Instead: parkAfar}, effect.KillProcess, when{is: ours}},
	{Rule{ID: "afar.process", Verdict: Deny, Why: "Stops Afar's service", Instead: parkAfar}, effect.StopService, when{is: ours}},
	{Rule{ID: "host.mods", Verdict: Deny, Why: "Loads a mod, which can overrule the guard", Instead: modAdvice}, effect.LoadMod, when{}},
	{Rule{ID: "host.mods", Verdict: Deny, Why: "Writes a mod that the host loads, which can overrule the guard", Instead: modAdvice}, effect.WriteFile, when{is: modFile}},
	{Rule{ID: "host.skills", Verdict: Ask, Why: "Changes a skill, which later sessions follow", Instead: "Show the change to the skill, and let the person make it."}, effect.WriteFile, when{is: skillFile}},
	{Rule{ID: "host.folder", Verdict: None, Why: "", Instead: ""}, effect.WriteFile, when{in: inHost, is: madeFolder}},
	{Rule{ID: "host.folder", Verdict: Ask, Why: "Copies into the folder of the host's settings", Instead: "Name the files, and leave the settings out."}, effect.WriteFile, when{in: inHost, is: settingsFolder}},
	{Rule{ID: "host.setting", Verdict: Ask, Why: "Changes a setting of the host", Instead: "Say which setting is needed and why, and let the person set it."}, effect.WriteFile, when{op: ops{effect.OtherSetting}, in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Changes the settings that decide which hooks run", Instead: "Describe the change and let the person edit the settings."}, effect.WriteFile, when{in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Deletes the host's settings", Instead: "Leave the host's settings in place; the person edits them."}, effect.DeleteTree, when{in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Deletes the host's settings", Instead: "Leave the host's settings in place; the person edits them."}, effect.DeleteFile, when{in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Moves the host's settings away", Instead: "Leave the host's settings in place; the person edits them."}, effect.MoveAway, when{in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Changes the rights of the host's settings", Instead: "Leave the host's settings in place; the person edits them."}, effect.ChangeMode, when{in: inHost}},
	{Rule{ID: "host.settings", Verdict: Deny, Why: "Puts other settings of the host in their place", Instead: "Leave the host's settings in place; the person edits them."}, effect.Discard, when{in: inHost}},
	{Rule{ID: "afar.files", Verdict: Deny, Why: "Puts other files in the place of Afar's own", Instead: parkAfar}, effect.Discard, when{in: inOwn}},
	{Rule{ID: "host.plugins", Verdict: Ask, Why: "Changes the host's plugins, servers or settings", Instead: "Say which plugin or server is missing, and let the person add it."}, effect.ChangeSystem, when{op: ops{effect.Host}}},
	{Rule{ID: "terminal.type", Verdict: Ask, Why: "Types into a terminal, perhaps the person's", Instead: "Run the command yourself instead of typing it into another terminal."}, effect.TypeInto, when{}},

	// Deleting.
	{Rule{ID: "fs.delete-container", Verdict: None, Why: "", Instead: ""}, effect.DeleteTree, when{is: inContainer}},
	{Rule{ID: "fs.delete-container", Verdict: None, Why: "", Instead: ""}, effect.DeleteFile, when{is: inContainer}},
	{Rule{ID: "fs.delete-root", Verdict: Deny, Why: "Deletes the system", Instead: narrower}, effect.DeleteTree, when{in: inRoot | inDevice}},
	{Rule{ID: "fs.delete-home", Verdict: Deny, Why: "Deletes a home directory", Instead: narrower}, effect.DeleteTree, when{in: inHome | inKeys}},
	{Rule{ID: "fs.delete-project", Verdict: Deny, Why: "Deletes the whole project", Instead: narrower}, effect.DeleteTree, when{in: inWhole}},
	{Rule{ID: "fs.delete-git", Verdict: Deny, Why: "Deletes the repository's history", Instead: "Never delete .git. A stale lock is removed by its own name: .git/index.lock."}, effect.DeleteTree, when{in: inRepo}},
	{Rule{ID: "fs.delete-null", Verdict: Ask, Why: "Moves files into nothing", Instead: "Delete the file by name if it may go."}, effect.DeleteTree, when{op: ops{effect.ToNull}}},
	{Rule{ID: "fs.git-rm", Verdict: Ask, Why: "Removes tracked files with their changes", Instead: saveFirst}, effect.DeleteTree, when{op: ops{effect.GitForce}}},
	{Rule{ID: "fs.delete-inside", Verdict: None, Why: "", Instead: ""}, effect.DeleteTree, when{in: inProject | inTemp}},
	{Rule{ID: "fs.delete-cached", Verdict: None, Why: "", Instead: ""}, effect.DeleteTree, when{in: inElsewhere, is: rebuilt}},
	{Rule{ID: "fs.delete-created", Verdict: None, Why: "", Instead: ""}, effect.DeleteTree, when{in: inElsewhere | inSystem, is: created}},
	{Rule{ID: "fs.delete-system", Verdict: Ask, Why: "Deletes below a system directory", Instead: narrower}, effect.DeleteTree, when{in: inSystem}},
	{Rule{ID: "fs.delete-elsewhere", Verdict: Ask, Why: "Deletes a tree outside the project", Instead: narrower}, effect.DeleteTree, when{}},
	{Rule{ID: "fs.delete-git", Verdict: Deny, Why: "Deletes a part of the repository's history", Instead: "Use git commands; remove only stale lock files by hand."}, effect.DeleteFile, when{in: inRepo}},
	{Rule{ID: "fs.delete-root", Verdict: Deny, Why: "Deletes the system", Instead: narrower}, effect.DeleteFile, when{in: inRoot | inDevice, is: globbed}},
	{Rule{ID: "fs.delete-home", Verdict: Deny, Why: "Deletes what lies in a home directory", Instead: narrower}, effect.DeleteFile, when{in: inHome, is: globbed}},
	{Rule{ID: "fs.delete-all", Verdict: Ask, Why: "Deletes every file of the project's top directory", Instead: narrower}, effect.DeleteFile, when{in: inWhole}},
	{Rule{ID: "fs.shred", Verdict: Ask, Why: "Shreds a file beyond recovery", Instead: narrower}, effect.DeleteFile, when{op: ops{effect.Shred}}},
	{Rule{ID: "secret.delete", Verdict: Ask, Why: "Deletes credentials", Instead: "Leave keys in place; say which one is not needed any more."}, effect.DeleteFile, when{is: secretRead}},
	{Rule{ID: "fs.delete-system", Verdict: Ask, Why: "Deletes a system file", Instead: narrower}, effect.DeleteFile, when{in: inSystem | inRoot | inHome}},
	{Rule{ID: "fs.delete-start", Verdict: Ask, Why: "Deletes what runs at login or at start", Instead: "Set it for this command only, or in a file of the project such as .envrc."}, effect.DeleteFile, when{is: startFile}},
	{Rule{ID: "fs.delete-cached", Verdict: None, Why: "", Instead: ""}, effect.DeleteFile, when{in: inElsewhere, is: rebuilt}},
	{Rule{ID: "fs.delete-created", Verdict: None, Why: "", Instead: ""}, effect.DeleteFile, when{in: inElsewhere, is: created}},
	{Rule{ID: "fs.delete-elsewhere", Verdict: Ask, Why: "Deletes files outside the project", Instead: narrower}, effect.DeleteFile, when{in: inElsewhere | inKeys, is: here}},
	{Rule{ID: "fs.delete-inside", Verdict: None, Why: "", Instead: ""}, effect.DeleteFile, when{}},
	{Rule{ID: "fs.move-root", Verdict: Deny, Why: "Moves the system, a home or the repository away", Instead: narrower}, effect.MoveAway, when{in: inRoot | inHome | inRepo | inDevice}},
	{Rule{ID: "fs.move-project", Verdict: Ask, Why: "Moves the whole project away", Instead: narrower}, effect.MoveAway, when{in: inWhole | inKeys}},
	{Rule{ID: "secret.move", Verdict: Ask, Why: "Moves credentials", Instead: "Leave keys where their tools look for them; point the tool to the path instead."}, effect.MoveAway, when{is: secretRead}},
	{Rule{ID: "fs.move-system", Verdict: Ask, Why: "Moves a system file away", Instead: "Copy it into the project and work on the copy."}, effect.MoveAway, when{in: inSystem}},

	// Writing.
	{Rule{ID: "disk.write", Verdict: Deny, Why: "Writes to a disk past its file system", Instead: "Work on an image file in the project instead of a device."}, effect.WriteFile, when{in: inDevice}},
	{Rule{ID: "disk.write", Verdict: Deny, Why: "Formats or repartitions a disk", Instead: "Work on an image file in the project instead of a device."}, effect.WriteDisk, when{}},
	{Rule{ID: "host.plugins", Verdict: Ask, Why: "Changes the servers that the host starts", Instead: "Show the entry that .mcp.json needs, and let the person add it."}, effect.WriteFile, when{is: serverList}},
	{Rule{ID: "fs.write-repo", Verdict: Ask, Why: "Writes into the repository's own files", Instead: "Use git commands instead of editing .git."}, effect.WriteFile, when{is: repoWrite}},
	{Rule{ID: "fs.write-vital", Verdict: Deny, Why: "Overwrites a file that the system needs to start or to let people in", Instead: "Write the change to a file in the project, and let the person install it."}, effect.WriteFile, when{is: vitalFile}},
	{Rule{ID: "fs.write-start", Verdict: Ask, Why: "Changes what runs at login or at start", Instead: "Set it for this command only, or in a file of the project such as .envrc."}, effect.WriteFile, when{is: startFile}},
	{Rule{ID: "secret.write", Verdict: Ask, Why: "Overwrites credentials", Instead: "Write a template such as .env.example; the person fills it in."}, effect.WriteFile, when{is: secretWrite}},
	{Rule{ID: "fs.write-system", Verdict: Ask, Why: "Writes below a system directory", Instead: "Install below the project or the home, for example with --prefix."}, effect.WriteFile, when{is: systemWrite}},
	{Rule{ID: "fs.empty-elsewhere", Verdict: None, Why: "", Instead: ""}, effect.WriteFile, when{op: ops{effect.Truncate}, in: inElsewhere, is: rebuilt}},
	{Rule{ID: "fs.empty-elsewhere", Verdict: None, Why: "", Instead: ""}, effect.WriteFile, when{op: ops{effect.Truncate}, in: inElsewhere, is: created}},
	{Rule{ID: "fs.empty-elsewhere", Verdict: Ask, Why: "Empties a file outside the project", Instead: "Empty files of the project only, or ask the person to empty this one."}, effect.WriteFile, when{op: ops{effect.Truncate}, in: inElsewhere, is: here}},
	{Rule{ID: "fs.mode-root", Verdict: Deny, Why: "Changes rights of the system or a home, recursively", Instead: "Change the mode of named files only."}, effect.ChangeMode, when{in: inRoot | inHome | inKeys, is: recursive}},
	{Rule{ID: "fs.mode-setuid", Verdict: Ask, Why: "Makes a program run with its owner's rights", Instead: "Run it with the rights that the session has."}, effect.ChangeMode, when{op: ops{effect.Setuid, effect.SetuidTree}}},
	{Rule{ID: "fs.mode-world", Verdict: Ask, Why: "Makes files writable for everybody", Instead: "Use 755 or 644, or add the right for one user or group."}, effect.ChangeMode, when{op: ops{effect.World, effect.WorldTree}}},
	{Rule{ID: "fs.mode-system", Verdict: Ask, Why: "Changes rights outside the project, recursively", Instead: "Change the mode of named files only."}, effect.ChangeMode, when{in: inSystem | inRoot | inHome | inElsewhere | inOpen, is: recursive}},
	{Rule{ID: "fs.mode-system", Verdict: Ask, Why: "Changes rights of system files", Instead: "Copy the file into the project and change the copy."}, effect.ChangeMode, when{in: inSystem | inRoot}},

	// Credentials.
	{Rule{ID: "secret.read", Verdict: Ask, Why: "Reads credentials", Instead: "Name the variable or key you need; the person provides it."}, effect.ReadFile, when{is: secretRead}},
	{Rule{ID: "secret.reveal", Verdict: Ask, Why: "Shows a secret in the transcript", Instead: "Use the variable without printing it."}, effect.RevealSecret, when{}},
	{Rule{ID: "secret.send", Verdict: Deny, Why: "Sends credentials to another machine", Instead: "Never send keys, tokens or .env files anywhere."}, effect.SendOut, when{op: ops{effect.Secret}}},
	{Rule{ID: "data.send", Verdict: Ask, Why: "Sends data to other people", Instead: "Write the text to a file or show it; the person sends it."}, effect.SendOut, when{}},

	// Git.
	{Rule{ID: "git.reset-hard", Verdict: None, Why: "", Instead: ""}, effect.Discard, when{op: ops{effect.ResetHard, effect.ResetMerge}, is: cleanTracked}},
	{Rule{ID: "git.reset-hard", Verdict: Ask, Why: "Resets the tree and the branch", Instead: "Keep the commits: `git branch KEEP` first, or `git reset --keep`."}, effect.Discard, when{op: ops{effect.ResetHardTo, effect.ReadTree}, is: cleanTree}},
	{Rule{ID: "git.reset-hard", Verdict: Deny, Why: "Throws uncommitted work away", Instead: saveFirst}, effect.Discard, when{op: ops{effect.ResetHard, effect.ResetHardTo, effect.ResetMerge, effect.ReadTree}}},
	{Rule{ID: "git.checkout-force", Verdict: None, Why: "", Instead: ""}, effect.Discard, when{op: ops{effect.CheckoutForce, effect.SwitchForce}, is: cleanTree}},
	{Rule{ID: "git.restore-all", Verdict: None, Why: "", Instead: ""}, effect.Discard, when{op: ops{effect.RestoreAll, effect.RestorePath}, is: cleanTracked}},
	{Rule{ID: "git.checkout-force", Verdict: Deny, Why: "Switches branches over uncommitted work", Instead: saveFirst}, effect.Discard, when{op: ops{effect.CheckoutForce, effect.SwitchForce}}},
	{Rule{ID: "git.restore-all", Verdict: Deny, Why: "Throws all uncommitted work away", Instead: saveFirst}, effect.Discard, when{op: ops{effect.RestoreAll}}},
	{Rule{ID: "git.restore-path", Verdict: Ask, Why: "Throws uncommitted changes of files away", Instead: "Look at `git diff` of the file first, or stash it: `git stash push FILE`."}, effect.Discard, when{op: ops{effect.RestorePath}}},
	{Rule{ID: "git.clean", Verdict: None, Why: "", Instead: ""}, effect.Discard, when{op: ops{effect.Clean}, is: noUntracked}},
	{Rule{ID: "git.clean", Verdict: Deny, Why: "Deletes untracked files", Instead: "List them with `git clean -n`, then delete by name what you made yourself."}, effect.Discard, when{op: ops{effect.Clean, effect.CleanAll}}},
	{Rule{ID: "git.clean-path", Verdict: Ask, Why: "Deletes untracked or ignored files", Instead: "List them with `git clean -n`, then delete by name."}, effect.Discard, when{op: ops{effect.CleanPath, effect.CleanIgnored}}},
	{Rule{ID: "git.stash-clear", Verdict: Deny, Why: "Deletes every stash", Instead: "Drop one stash by its name after `git stash show -p`."}, effect.Discard, when{op: ops{effect.StashClear}}},
	{Rule{ID: "git.stash-drop", Verdict: Ask, Why: "Deletes a stash", Instead: "Look at it with `git stash show -p` first."}, effect.Discard, when{op: ops{effect.StashDrop}}},
	{Rule{ID: "git.give-up", Verdict: None, Why: "", Instead: ""}, effect.Discard, when{op: ops{effect.GiveUp}}},
	{Rule{ID: "git.worktree", Verdict: Ask, Why: "Removes a worktree with its changes", Instead: "Commit in the worktree, then remove it without --force."}, effect.Discard, when{}},
	{Rule{ID: "git.push-mirror", Verdict: Deny, Why: "Overwrites every branch of the remote", Instead: "Push one branch by its name."}, effect.PushForce, when{op: ops{effect.Mirror, effect.Everything}}},
	{Rule{ID: "git.push-force-main", Verdict: Deny, Why: "Rewrites the default branch of the remote", Instead: "Push a new branch and open a pull request."}, effect.PushForce, when{is: mainBranch}},
	{Rule{ID: "git.push-force-main", Verdict: Deny, Why: "Rewrites a remote branch without naming it", Instead: "Name the branch: git push --force-with-lease origin BRANCH."}, effect.PushForce, when{op: ops{effect.Force}, is: currentUnknown}},
	{Rule{ID: "git.push-force", Verdict: Ask, Why: "Rewrites a remote branch", Instead: "Use --force-with-lease and name the branch."}, effect.PushForce, when{op: ops{effect.Lease}, is: currentUnknown}},
	{Rule{ID: "git.push-lease", Verdict: None, Why: "", Instead: ""}, effect.PushForce, when{op: ops{effect.Lease}}},
	{Rule{ID: "git.push-force", Verdict: Ask, Why: "Rewrites a remote branch", Instead: "Use --force-with-lease and name the branch."}, effect.PushForce, when{}},
	{Rule{ID: "git.delete-main", Verdict: Deny, Why: "Deletes the default branch of the remote", Instead: "Leave the default branch; make and delete branches of your own."}, effect.PushDelete, when{op: ops{effect.Branch}, is: mainNamed}},
	{Rule{ID: "git.push-delete", Verdict: Ask, Why: "Deletes a branch or tag of the remote", Instead: "Name the branch and say that it is merged; the forge deletes it with the pull request."}, effect.PushDelete, when{}},
	{Rule{ID: "afar.undo", Verdict: Deny, Why: "Deletes what an undo is made of", Instead: parkAfar}, effect.RewriteRefs, when{is: undoRef}},
	{Rule{ID: "git.branch-main", Verdict: Deny, Why: "Deletes the default branch", Instead: "Delete only branches you made."}, effect.RewriteRefs, when{op: ops{effect.BranchDeleteForce, effect.RefDelete}, is: mainNamed}},
	{Rule{ID: "git.branch-delete", Verdict: Ask, Why: "Deletes the default branch", Instead: "Delete only branches you made."}, effect.RewriteRefs, when{op: ops{effect.BranchDelete}, is: mainNamed}},
	{Rule{ID: "git.branch-delete", Verdict: None, Why: "", Instead: ""}, effect.RewriteRefs, when{op: ops{effect.BranchDelete}}},
	{Rule{ID: "git.branch-force", Verdict: None, Why: "", Instead: ""}, effect.RewriteRefs, when{op: ops{effect.BranchDeleteForce, effect.RefDelete}, is: merged}},
	{Rule{ID: "git.branch-force", Verdict: Ask, Why: "Deletes or moves a branch that may not be merged", Instead: "Use `git branch -d`, which refuses to lose commits."}, effect.RewriteRefs, when{op: ops{effect.BranchDeleteForce, effect.BranchForce, effect.RefDelete}}},
	{Rule{ID: "git.branch-force", Verdict: Ask, Why: "Moves the default branch, whatever is committed there", Instead: "Make a branch under another name, or merge."}, effect.RewriteRefs, when{op: ops{effect.BranchReset}, is: mainNamed}},
	{Rule{ID: "git.branch-reset", Verdict: None, Why: "", Instead: ""}, effect.RewriteRefs, when{op: ops{effect.BranchReset}}},
	{Rule{ID: "git.reflog", Verdict: Deny, Why: "Destroys the record that brings lost commits back", Instead: "Leave the reflog and unreachable objects alone."}, effect.RewriteRefs, when{op: ops{effect.Reflog, effect.Prune}}},
	{Rule{ID: "git.filter", Verdict: Ask, Why: "Rewrites the history of every branch", Instead: "Make a backup clone first, and let the person decide."}, effect.RewriteRefs, when{op: ops{effect.Filter}}},
	{Rule{ID: "git.rebase", Verdict: None, Why: "", Instead: ""}, effect.RewriteRefs, when{op: ops{effect.Rebase}}},
	{Rule{ID: "git.refs", Verdict: Ask, Why: "Deletes a tag, a remote or stored objects", Instead: "Make a new tag or remote under another name, and leave the old one."}, effect.RewriteRefs, when{}},
	{Rule{ID: "git.settings", Verdict: Ask, Why: "Makes git run a program of its own", Instead: "Pass the setting for one command with `git -c`, or run the program yourself."}, effect.GitSettings, when{}},

	// Running.
	{Rule{ID: "run.network", Verdict: Ask, Why: "Runs code straight from the network", Instead: "Download it to a file, read it, then run the file."}, effect.RunUnknown, when{op: ops{effect.Network, effect.Manifest}}},
	{Rule{ID: "run.encoded", Verdict: Ask, Why: "Runs code that was encoded or encrypted", Instead: "Write the commands out in plain text."}, effect.RunUnknown, when{op: ops{effect.Decoded}}},
	{Rule{ID: "run.opaque", Verdict: None, Why: "", Instead: ""}, effect.RunUnknown, when{is: benignCode}},
	{Rule{ID: "run.opaque", Verdict: Ask, Why: "Runs code that cannot be seen", Instead: "Write the commands out instead of evaluating a variable or a program's output."}, effect.RunUnknown, when{}},
	{Rule{ID: "run.reverse-shell", Verdict: Deny, Why: "Opens a shell for another machine", Instead: "Never connect a shell to the network."}, effect.ReverseShell, when{}},
	{Rule{ID: "run.fork-bomb", Verdict: Deny, Why: "Exhausts the machine", Instead: "Start a bounded number of processes."}, effect.ForkBomb, when{}},
	{Rule{ID: "run.elevated", Verdict: Ask, Why: "Runs with more rights than the session has", Instead: "Do it without sudo, or let the person run it."}, effect.RunElevated, when{is: elevatedRisk}},
	{Rule{ID: "run.later", Verdict: Ask, Why: "Installs something that runs later", Instead: "Run it once now, or write the entry to a file for the person to install."}, effect.Persist, when{}},

	// Data.
	{Rule{ID: "db.drop", Verdict: Deny, Why: "Drops a whole database", Instead: "Use a database made for this work, or let the person drop it."}, effect.DropData, when{op: ops{effect.Database}}},
	{Rule{ID: "db.rows", Verdict: Ask, Why: "Deletes or overwrites data in a database", Instead: "Add a WHERE clause and look at the rows with SELECT first."}, effect.DropData, when{op: ops{effect.Rows, effect.Values}}},
	{Rule{ID: "db.key", Verdict: Ask, Why: "Deletes keys of a store", Instead: "Let the key expire, or use a database number of your own: redis-cli -n 9."}, effect.DropData, when{op: ops{effect.Key}}},
	{Rule{ID: "db.object", Verdict: Ask, Why: "Drops a part of a database", Instead: "Use a migration that can be undone, and say what it drops."}, effect.DropData, when{}},

	// Elsewhere.
	{Rule{ID: "remote.teardown", Verdict: Deny, Why: "Tears down something hosted, with its data", Instead: "Show what would go (plan -destroy, describe, list) and let the person run it."}, effect.DestroyRemote, when{op: ops{effect.Teardown}}},
	{Rule{ID: "remote.destroy", Verdict: Ask, Why: "Deletes something hosted", Instead: "Look first: the same command with get, describe, list or --dry-run."}, effect.DestroyRemote, when{}},
	{Rule{ID: "remote.change", Verdict: Ask, Why: "Changes something hosted", Instead: "Show the plan or the diff first: plan, preview, diff, --dry-run."}, effect.ChangeRemote, when{}},
	{Rule{ID: "copy.delete-here", Verdict: None, Why: "", Instead: ""}, effect.DeleteCopies, when{op: ops{effect.Local}, in: inTemp}},
	{Rule{ID: "copy.delete-root", Verdict: Deny, Why: "Overwrites the system, a home or the project with something else", Instead: narrower}, effect.DeleteCopies, when{op: ops{effect.Local}, in: inRoot | inHome | inWhole | inRepo | inKeys | inHost}},
	{Rule{ID: "copy.delete", Verdict: Ask, Why: "Deletes in the destination what the source lacks", Instead: "Run it with --dry-run first, or without deletion."}, effect.DeleteCopies, when{}},
	{Rule{ID: "publish", Verdict: Ask, Why: "Publishes to others", Instead: "Let the person publish, or use --dry-run."}, effect.PublishOut, when{}},

	// The machine.
	{Rule{ID: "local.volumes", Verdict: Ask, Why: "Deletes volumes or images with their data", Instead: "Remove named containers or volumes that you made."}, effect.PruneLocal, when{}},
	{Rule{ID: "process.all", Verdict: Deny, Why: "Ends every process", Instead: "End one process by its pid."}, effect.KillProcess, when{op: ops{effect.Everything}}},
	{Rule{ID: "process.kill", Verdict: Ask, Why: "Ends processes by name or pattern", Instead: "End the processes you started, by pid."}, effect.KillProcess, when{op: ops{effect.ByPattern, effect.ByName, effect.ByFile, effect.Terminal, effect.Found}}},
	{Rule{ID: "service.stop", Verdict: Ask, Why: "Stops or restarts a service", Instead: "Start a copy of your own on another port, or look with status and logs."}, effect.StopService, when{}},
	{Rule{ID: "machine.power", Verdict: Deny, Why: "Shuts the machine down or restarts it", Instead: "Restart the one service or container instead, or say why the machine must restart."}, effect.Power, when{}},
	{Rule{ID: "machine.packages", Verdict: Ask, Why: "Removes installed packages", Instead: "Use a virtual environment or a container, where nothing has to be removed."}, effect.RemovePackage, when{}},
	{Rule{ID: "machine.settings", Verdict: Ask, Why: "Changes accounts, firewall or system settings", Instead: "Use a container or a user setting instead, and say what the machine lacks."}, effect.ChangeSystem, when{}},

	// An agent that only reads.
	{Rule{ID: "agent.reads", Verdict: Deny, Why: "Does more than read, in an agent that may only read", Instead: readingAdvice}, effect.BeyondReading, when{}},

	// What was not understood.
	{Rule{ID: "call.unreadable-protected", Verdict: Deny, Why: "Names something protected in a command that cannot be read", Instead: "Write it as plain, short commands with balanced quotes."}, effect.Unreadable, when{is: mentionsOurs}},
	{Rule{ID: "call.unreadable", Verdict: Ask, Why: "The command could not be read to its end", Instead: "Write it as plain, short commands: balanced quotes, no deep nesting, one step per call."}, effect.Unreadable, when{}},
}
