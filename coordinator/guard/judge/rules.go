package judge

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
)

const (
	parkAfar = "Leave Afar and its settings alone. If a change is needed, say which one and let the person make " +
		"it outside the session."
	modAdvice = "Write the plugin into a folder of the project, and let the person load it: claude --plugin-dir FOLDER."
	ownTask   = "Work in the folder of your own task. What another task or the person needs to know, write into " +
		"state.md."
	narrower  = "Delete named files or subdirectories inside the project, or ask the person to delete this."
	saveFirst = "Save the work first: commit it or run `git stash push -u`, then look with `git status`."
)

// readingAdvice tells an agent that may only read what to do instead of anything
// else.
const readingAdvice = "You only read: look with Read, Grep, Glob or commands such as `git diff`, `ls` and `cat`, " +
	"and ask with `afar consult`. Write what should be changed into your answer."

// policies is the whole policy, in groups. Rows of one kind are tried in order. A row with
// the verdict None ends the search with no opinion. The compiler lays out the whole table,
// so a starting hook does not have to build it.
var policies = [...][]policy{railRules, fileRules, secretRules, gitRules, otherRules}

// everyPolicy yields the rows of the policy in order.
func everyPolicy(yield func(*policy) bool) {
	for _, group := range policies {
		for i := range group {
			if !yield(&group[i]) {
				return
			}
		}
	}
}

// deleteKinds are the kinds of effect that delete files, and lossKinds those that change a
// path in another way than by writing to it.
var (
	deleteKinds = []effect.Kind{effect.DeleteTree, effect.DeleteFile}
	lossKinds   = []effect.Kind{
		effect.DeleteTree, effect.DeleteFile, effect.MoveAway, effect.ChangeMode, effect.Discard,
	}
)

// railRules protect Afar and the host's guard rails.
var railRules = []policy{
	{
		id: "afar.page", verdict: Deny, self: true, kind: effect.SteerAfar, op: ops{effect.WebPage},
		why: "Reaches for Afar's page, where the person decides",
		instead: "The page is for the person alone. afar status, asks and log show the same things; leave its " +
			"address and its cookie alone.",
	},
	{
		id: "afar.decide", verdict: Deny, self: true, kind: effect.SteerAfar,
		why: "Decides for the person",
		instead: "Questions to the person are answered by the person alone. Only afar status, asks, log, post, read, " +
			"issue, consult, and run start and run widen, which ask the person, are for sessions.",
	},
	{
		id: "afar.disable", verdict: Deny, self: true, kind: effect.DisableAfar,
		why: "Switches Afar or its hooks off", instead: parkAfar,
	},
	{
		id: "afar.files", verdict: Deny, self: true, kind: effect.WriteFile, or: lossKinds, in: inOwn,
		why: "Changes or deletes Afar's own files", instead: parkAfar,
	},
	{
		id: "afar.files", verdict: Deny, self: true, kind: effect.DeleteCopies, op: ops{effect.Local}, in: inOwn,
		why: "Overwrites Afar's own files", instead: parkAfar,
	},
	{
		id: "task.other", verdict: Ask, kind: effect.WriteFile, or: lossKinds, in: inTask,
		why: "Changes the folder of another task", instead: ownTask,
	},
	{
		id: "task.confirm", verdict: Ask, kind: effect.Outward,
		why:     "Acts outside, which the person confirms each time for this task",
		instead: "Write what you would do into checkpoint.md, and end your turn.",
	},
	{
		id: "afar.secret", verdict: Deny, self: true, kind: effect.ReadFile, is: ownSecret,
		why: "Reads Afar's token or copies its programs", instead: parkAfar,
	},
	{
		id: "afar.cookie", verdict: Deny, self: true, kind: effect.ReadFile, is: browserStore,
		why: "Reads the cookies or passwords of a browser",
		instead: "Leave the person's browsers alone: who has their cookies can decide for them. Use a profile of " +
			"your own in the project.",
	},
	{
		id: "afar.process", verdict: Deny, self: true, kind: effect.KillProcess, or: []effect.Kind{effect.StopService},
		is:  afarProcess,
		why: "Ends, stops or enters Afar's processes", instead: parkAfar,
	},
	{id: "process.own", kind: effect.KillProcess, op: ops{effect.Limits, effect.Inside}, is: ownProcess},
	{
		id: "afar.mark", verdict: Deny, self: true, kind: effect.KillProcess, op: ops{effect.Limits},
		why: "Sets limits of a process outside the session, which could then no longer answer for the person",
		instead: "Set limits with ulimit, or with prlimit and the command that it starts. Those of other processes " +
			"are the person's.",
	},
	{
		id: "host.mods", verdict: Deny, keeps: true, kind: effect.LoadMod,
		why: "Loads a mod, which can overrule the guard", instead: modAdvice,
	},
	{
		id: "host.mods", verdict: Deny, keeps: true, kind: effect.WriteFile, is: modFile,
		why: "Writes a mod that the host loads, which can overrule the guard", instead: modAdvice,
	},
	{
		id: "host.skills", verdict: Ask, keeps: true, kind: effect.WriteFile, is: skillFile,
		why:     "Changes a skill, a command, an agent or a rule, which later sessions follow",
		instead: "Show the change, and let the person make it.",
	},
	{id: "host.folder", keeps: true, kind: effect.WriteFile, in: inHost, is: madeFolder},
	{
		id: "host.folder", verdict: Ask, keeps: true, kind: effect.WriteFile, in: inHost, is: settingsFolder,
		why: "Copies into the folder of the host's settings", instead: "Name the files, and leave the settings out.",
	},
	{
		id: "host.setting", verdict: Ask, keeps: true, kind: effect.WriteFile, op: ops{effect.OtherSetting}, in: inHost,
		why:     "Changes a setting of the host",
		instead: "Say which setting is needed and why, and let the person set it.",
	},
	{
		id: "host.settings", verdict: Deny, keeps: true, strict: true, kind: effect.WriteFile, in: inHost,
		why:     "Changes the settings that decide which hooks run",
		instead: "Describe the change and let the person edit the settings.",
	},
	{
		id: "host.settings", verdict: Deny, keeps: true, strict: true, kind: effect.DeleteTree, or: lossKinds, in: inHost,
		why:     "Replaces or deletes the host's settings",
		instead: "Leave the host's settings in place; the person edits them.",
	},
	{
		id: "host.plugins", verdict: Ask, keeps: true, kind: effect.ChangeSystem, op: ops{effect.Host},
		why:     "Changes the host's plugins, servers or settings",
		instead: "Say which plugin or server is missing, and let the person add it.",
	},
	{
		id: "terminal.type", verdict: Ask, keeps: true, kind: effect.TypeInto,
		why:     "Types into a terminal, perhaps the person's",
		instead: "Run the command yourself instead of typing it into another terminal.",
	},
}

// secretRules are about credentials.
var secretRules = []policy{
	{
		id: "remote.here", kind: effect.DestroyRemote, is: onEmulator,
		or: []effect.Kind{
			effect.ChangeRemote, effect.PublishOut, effect.SendOut, effect.RevealSecret, effect.DropData,
			effect.StopService,
		},
	},
	{
		id: "secret.read", verdict: Ask, kind: effect.ReadFile, is: secretRead,
		why: "Reads credentials", instead: "Name the variable or key you need; the person provides it.",
	},
	{
		id: "secret.read", verdict: Ask, kind: effect.ReadFile, is: secretElsewhere,
		why:     "Reads credentials of another machine or container",
		instead: "Name the variable or key you need; the person provides it.",
	},
	{
		id: "secret.reveal", verdict: Ask, kind: effect.RevealSecret,
		why: "Shows a secret in the transcript", instead: "Use the variable without printing it.",
	},
	{
		id: "secret.send", verdict: Deny, kind: effect.SendOut, op: ops{effect.Secret},
		why: "Sends credentials to another machine", instead: "Never send keys, tokens or .env files anywhere.",
	},
	{
		id: "secret.commit", verdict: Ask, kind: effect.SendOut,
		op: ops{effect.StagedTree, effect.CommittedSecret}, is: stagesSecret,
		why:     "Puts credentials into the repository's history",
		instead: "Add the file to .gitignore, and commit a template such as .env.example.",
	},
	{id: "secret.commit", kind: effect.SendOut, op: ops{effect.StagedTree}},
	{
		id: "data.send", verdict: Ask, kind: effect.SendOut,
		why: "Sends data to other people", instead: "Write the text to a file or show it; the person sends it.",
	},
}

// otherRules are about code, data, other machines and this machine.
var otherRules = []policy{
	// Running.
	{
		id: "run.network", verdict: Ask, kind: effect.RunUnknown, op: ops{effect.Network, effect.Manifest},
		why: "Runs code straight from the network", instead: "Download it to a file, read it, then run the file.",
	},
	{
		id: "run.encoded", verdict: Ask, kind: effect.RunUnknown, op: ops{effect.Decoded},
		why: "Runs code that was encoded or encrypted", instead: "Write the commands out in plain text.",
	},
	{id: "run.outside", kind: effect.RunUnknown, op: ops{effect.Outside}, is: installed},
	{
		id: "run.outside", verdict: Ask, kind: effect.RunUnknown, op: ops{effect.Outside},
		why: "Has a program of the person, such as tmux, start code that cannot be read and that could answer for them",
		instead: "Start it as a child of this session, in the background or with setsid, or write it as a short " +
			"script.",
	},
	{id: "run.opaque", kind: effect.RunUnknown, op: ops{""}}, // the output of a harmless program
	{id: "run.opaque", kind: effect.RunUnknown, is: walled},
	{
		id: "run.opaque", verdict: Ask, kind: effect.RunUnknown,
		why:     "Runs code that cannot be seen",
		instead: "Write the commands out instead of evaluating a variable or a program's output.",
	},
	{
		id: "run.reverse-shell", verdict: Deny, kind: effect.ReverseShell,
		why: "Opens a shell for another machine", instead: "Never connect a shell to the network.",
	},
	{
		id: "run.fork-bomb", verdict: Deny, kind: effect.ForkBomb,
		why: "Exhausts the machine", instead: "Start a bounded number of processes.",
	},
	{
		id: "run.elevated", verdict: Ask, kind: effect.RunElevated, is: elevatedRisk,
		why: "Runs with more rights than the session has", instead: "Do it without sudo, or let the person run it.",
	},
	{
		id: "run.later", verdict: Ask, kind: effect.Persist,
		why:     "Installs something that runs later",
		instead: "Run it once now, or write the entry to a file for the person to install.",
	},

	// Data.
	{
		id: "db.drop", verdict: Deny, kind: effect.DropData, op: ops{effect.Database},
		why: "Drops a whole database", instead: "Use a database made for this work, or let the person drop it.",
	},
	{
		id: "db.rows", verdict: Ask, kind: effect.DropData, op: ops{effect.Rows, effect.Values},
		why:     "Deletes or overwrites data in a database",
		instead: "Add a WHERE clause and look at the rows with SELECT first.",
	},
	{
		id: "db.key", verdict: Ask, kind: effect.DropData, op: ops{effect.Key},
		why:     "Deletes keys of a store",
		instead: "Let the key expire, or use a database number of your own: redis-cli -n 9.",
	},
	{
		id: "db.object", verdict: Ask, kind: effect.DropData,
		why: "Drops a part of a database", instead: "Use a migration that can be undone, and say what it drops.",
	},

	// Elsewhere.
	{
		id: "remote.teardown", verdict: Deny, kind: effect.DestroyRemote, op: ops{effect.Teardown},
		why:     "Tears down something hosted, with its data",
		instead: "Show what would go (plan -destroy, describe, list) and let the person run it.",
	},
	{
		id: "remote.destroy", verdict: Ask, kind: effect.DestroyRemote,
		why:     "Deletes something hosted",
		instead: "Look first: the same command with get, describe, list or --dry-run.",
	},
	{
		id: "remote.change", verdict: Ask, kind: effect.ChangeRemote,
		why: "Changes something hosted", instead: "Show the plan or the diff first: plan, preview, diff, --dry-run.",
	},
	{id: "copy.delete-here", kind: effect.DeleteCopies, op: ops{effect.Local}, in: inTemp},
	{
		id: "copy.delete-root", verdict: Deny, kind: effect.DeleteCopies, op: ops{effect.Local},
		in:  inRoot | inHome | inWhole | inRepo | inKeys | inHost,
		why: "Overwrites the system, a home or the project with something else", instead: narrower,
	},
	{
		id: "copy.delete", verdict: Ask, kind: effect.DeleteCopies,
		why:     "Deletes in the destination what the source lacks",
		instead: "Run it with --dry-run first, or without deletion.",
	},
	{
		id: "publish", verdict: Ask, kind: effect.PublishOut,
		why: "Publishes to others", instead: "Let the person publish, or use --dry-run.",
	},

	// The machine.
	{
		id: "local.volumes", verdict: Ask, kind: effect.PruneLocal,
		why:     "Deletes volumes or images with their data",
		instead: "Remove named containers or volumes that you made.",
	},
	{
		id: "process.inside", verdict: Ask, kind: effect.KillProcess, op: ops{effect.Inside},
		why:     "Reaches into another process, perhaps one of the person's",
		instead: "Start the program in the debugger: gdb --args PROGRAM, strace PROGRAM.",
	},
	{id: "process.container", kind: effect.KillProcess, is: inAnyContainer},
	{
		id: "process.all", verdict: Deny, kind: effect.KillProcess, op: ops{effect.Everything},
		why: "Ends every process", instead: "End one process by its pid.",
	},
	{
		id: "process.kill", verdict: Ask, kind: effect.KillProcess,
		op:  ops{effect.ByPattern, effect.ByName, effect.ByFile, effect.Terminal, effect.Found},
		why: "Ends processes by name or pattern", instead: "End the processes you started, by pid.",
	},
	{
		id: "service.stop", verdict: Ask, kind: effect.StopService,
		why:     "Stops or restarts a service",
		instead: "Start a copy of your own on another port, or look with status and logs.",
	},
	{
		id: "machine.power", verdict: Deny, kind: effect.Power,
		why:     "Shuts the machine down or restarts it",
		instead: "Restart the one service or container instead, or say why the machine must restart.",
	},
	{id: "machine.container", kind: effect.RemovePackage, or: []effect.Kind{effect.ChangeSystem}, is: inAnyContainer},
	{
		id: "machine.packages", verdict: Ask, kind: effect.RemovePackage,
		why:     "Removes installed packages",
		instead: "Use a virtual environment or a container, where nothing has to be removed.",
	},
	{
		id: "machine.settings", verdict: Ask, kind: effect.ChangeSystem,
		why:     "Changes accounts, firewall or system settings",
		instead: "Use a container or a user setting instead, and say what the machine lacks.",
	},

	// An agent that only reads.
	{
		id: "agent.reads", verdict: Deny, keeps: true, kind: effect.BeyondReading,
		why: "Does more than read, in an agent that may only read", instead: readingAdvice,
	},

	// What was not understood.
	{
		id: "call.unreadable-protected", verdict: Deny, keeps: true, kind: effect.Unreadable, is: mentionsProtected,
		why:     "Names something protected in a command that cannot be read",
		instead: "Write it as plain, short commands with balanced quotes.",
	},
	{
		id: "call.unreadable", verdict: Ask, keeps: true, kind: effect.Unreadable,
		why:     "The command could not be read to its end",
		instead: "Write it as plain, short commands: balanced quotes, no deep nesting, one step per call.",
	},
}

// fileRules are about files and disks.
var fileRules = []policy{
	// Deleting.
	{id: "fs.delete-container", kind: effect.DeleteTree, or: deleteKinds, is: inContainer},
	{id: "fs.delete-container", kind: effect.DeleteTree, or: deleteKinds, in: inSystem | inElsewhere, is: madeAgain},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteTree, in: inRoot | inDevice,
		why: "Deletes the system", instead: narrower,
	},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteTree, or: deleteKinds, is: vitalOutside,
		why: "Deletes what the system needs to start or to let people in", instead: narrower,
	},
	{
		id: "fs.delete-home", verdict: Deny, kind: effect.DeleteTree, in: inHome | inKeys,
		why: "Deletes a home directory", instead: narrower,
	},
	{
		id: "fs.delete-project", verdict: Deny, kind: effect.DeleteTree, in: inWhole,
		why: "Deletes the whole project", instead: narrower,
	},
	{
		id: "fs.delete-git", verdict: Deny, kind: effect.DeleteTree, in: inRepo,
		why:     "Deletes the repository's history",
		instead: "Never delete .git. A stale lock is removed by its own name: .git/index.lock.",
	},
	{
		id: "fs.delete-null", verdict: Ask, kind: effect.DeleteTree, op: ops{effect.ToNull},
		why: "Moves files into nothing", instead: "Delete the file by name if it may go.",
	},
	{
		id: "fs.git-rm", verdict: Ask, kind: effect.DeleteTree, op: ops{effect.GitForce},
		why: "Removes tracked files with their changes", instead: saveFirst,
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.DeleteTree, in: inProject, is: losesWork,
		why: "Deletes uncommitted work of the person", instead: saveFirst,
	},
	{id: "fs.delete-inside", kind: effect.DeleteTree, in: inProject | inTemp},
	{id: "fs.delete-cached", kind: effect.DeleteTree, in: inElsewhere, is: rebuilt},
	{id: "fs.delete-created", kind: effect.DeleteTree, in: inElsewhere | inSystem, is: created},
	{id: "fs.delete-absent", kind: effect.DeleteTree, in: inElsewhere, is: absent},
	{
		id: "fs.delete-system", verdict: Ask, kind: effect.DeleteTree, in: inSystem,
		why: "Deletes below a system directory", instead: narrower,
	},
	{
		id: "fs.delete-elsewhere", verdict: Ask, kind: effect.DeleteTree,
		why: "Deletes a tree outside the project", instead: narrower,
	},
	{
		id: "fs.delete-git", verdict: Deny, kind: effect.DeleteFile, in: inRepo,
		why:     "Deletes a part of the repository's history",
		instead: "Use git commands; remove only stale lock files by hand.",
	},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteFile, in: inRoot | inDevice, is: globbed,
		why: "Deletes the system", instead: narrower,
	},
	{
		id: "fs.delete-home", verdict: Deny, kind: effect.DeleteFile, in: inHome, is: globbed,
		why: "Deletes what lies in a home directory", instead: narrower,
	},
	{
		id: "fs.delete-all", verdict: Ask, kind: effect.DeleteFile, in: inWhole,
		why: "Deletes every file of the project's top directory", instead: narrower,
	},
	{
		id: "fs.shred", verdict: Ask, kind: effect.DeleteFile, op: ops{effect.Shred},
		why: "Shreds a file beyond recovery", instead: narrower,
	},
	{
		id: "secret.delete", verdict: Ask, kind: effect.DeleteFile, is: secretRead,
		why: "Deletes credentials", instead: "Leave keys in place; say which one is not needed any more.",
	},
	{
		id: "fs.delete-system", verdict: Ask, kind: effect.DeleteFile, in: inSystem | inRoot | inHome,
		why: "Deletes a system file", instead: narrower,
	},
	{
		id: "fs.delete-start", verdict: Ask, kind: effect.DeleteFile, is: startFile,
		why:     "Deletes what runs at login or at start",
		instead: "Set it for this command only, or in a file of the project such as .envrc.",
	},
	{id: "fs.delete-cached", kind: effect.DeleteFile, in: inElsewhere, is: rebuilt},
	{id: "fs.delete-created", kind: effect.DeleteFile, in: inElsewhere, is: created},
	{id: "fs.delete-absent", kind: effect.DeleteFile, in: inElsewhere, is: absent},
	{
		id: "fs.delete-elsewhere", verdict: Ask, kind: effect.DeleteFile, in: inElsewhere | inKeys, is: onThisMachine,
		why: "Deletes files outside the project", instead: narrower,
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.DeleteFile, in: inProject, is: losesWork,
		why: "Deletes uncommitted work of the person", instead: saveFirst,
	},
	{id: "fs.delete-inside", kind: effect.DeleteFile},
	{
		id: "fs.move-root", verdict: Deny, kind: effect.MoveAway, in: inRoot | inHome | inRepo | inDevice,
		why: "Moves the system, a home or the repository away", instead: narrower,
	},
	{
		id: "fs.move-root", verdict: Deny, kind: effect.MoveAway, is: vitalOutside,
		why: "Moves away what the system needs to start or to let people in", instead: narrower,
	},
	{
		id: "fs.move-project", verdict: Ask, kind: effect.MoveAway, in: inWhole | inKeys,
		why: "Moves the whole project away", instead: narrower,
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.MoveAway, op: ops{effect.ToTemp}, in: inProject, is: losesWork,
		why: "Moves uncommitted work to a folder whose files do not stay", instead: saveFirst,
	},
	{
		id: "secret.move", verdict: Ask, kind: effect.MoveAway, is: secretRead,
		why:     "Moves credentials",
		instead: "Leave keys where their tools look for them; point the tool to the path instead.",
	},
	{
		id: "fs.move-system", verdict: Ask, kind: effect.MoveAway, in: inSystem,
		why: "Moves a system file away", instead: "Copy it into the project and work on the copy.",
	},

	// Writing. What a container has besides its volumes comes from its image.
	{id: "fs.write-container", kind: effect.WriteFile, in: inSystem | inElsewhere, is: inAnyContainer},
	{id: "fs.mode-container", kind: effect.ChangeMode, in: inSystem | inElsewhere, is: inAnyContainer},
	{
		id: "disk.write", verdict: Deny, kind: effect.WriteFile, in: inDevice,
		why:     "Writes to a disk past its file system",
		instead: "Work on an image file in the project instead of a device.",
	},
	{
		id: "disk.write", verdict: Deny, kind: effect.WriteDisk,
		why: "Formats or repartitions a disk", instead: "Work on an image file in the project instead of a device.",
	},
	{
		id: "host.plugins", verdict: Ask, keeps: true, kind: effect.WriteFile, is: serverList,
		why:     "Changes the servers that the host starts",
		instead: "Show the entry that .mcp.json needs, and let the person add it.",
	},
	{
		id: "fs.memory", verdict: Ask, kind: effect.WriteFile, or: []effect.Kind{effect.ReadFile},
		is:      memoryOfOther,
		why:     "Reaches into the memory of another process, perhaps one of the person's",
		instead: "Start the program in the debugger: gdb --args PROGRAM.",
	},
	{
		id: "fs.write-repo", verdict: Ask, kind: effect.WriteFile, is: repoWrite,
		why: "Writes into the repository's own files", instead: "Use git commands instead of editing .git.",
	},
	{
		id: "fs.write-vital", verdict: Deny, kind: effect.WriteFile, is: vitalOutside,
		why:     "Overwrites a file that the system needs to start or to let people in",
		instead: "Write the change to a file in the project, and let the person install it.",
	},
	{
		id: "fs.write-path", verdict: Ask, kind: effect.WriteFile,
		or: []effect.Kind{effect.MoveAway, effect.ChangeMode}, is: inPath,
		why:     "Changes what this machine runs when a program is called by its name",
		instead: "Write the program into the project, and run it by its path.",
	},
	{
		id: "fs.write-start", verdict: Ask, kind: effect.WriteFile, is: startFile,
		why:     "Changes what runs at login or at start",
		instead: "Set it for this command only, or in a file of the project such as .envrc.",
	},
	{
		id: "secret.write", verdict: Ask, kind: effect.WriteFile, is: secretWrite,
		why: "Overwrites credentials", instead: "Write a template such as .env.example; the person fills it in.",
	},
	{
		id: "fs.write-system", verdict: Ask, kind: effect.WriteFile, is: systemWrite,
		why:     "Writes below a system directory",
		instead: "Install below the project or the home, for example with --prefix.",
	},
	{
		id: "task.outside", verdict: Ask, kind: effect.WriteFile, in: inElsewhere | inKeys | inHome | inSystem,
		is:  outsideTask,
		why: "Changes what lies outside the folder of its task", instead: ownTask,
	},
	{id: "fs.empty-elsewhere", kind: effect.WriteFile, op: ops{effect.Truncate}, in: inElsewhere, is: rebuilt},
	{id: "fs.empty-elsewhere", kind: effect.WriteFile, op: ops{effect.Truncate}, in: inElsewhere, is: created},
	{
		id: "fs.empty-elsewhere", verdict: Ask, kind: effect.WriteFile, op: ops{effect.Truncate},
		in: inElsewhere | inKeys | inHome, is: onThisMachine,
		why:     "Empties a file outside the project",
		instead: "Empty files of the project only, or ask the person to empty this one.",
	},
	{
		id: "fs.empty-elsewhere", verdict: Ask, kind: effect.WriteFile, in: inElsewhere | inKeys | inHome,
		is:  overwrites,
		why: "Overwrites a file outside the project", instead: "Write to a new name, or add to the file with >>.",
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.WriteFile, in: inProject | inWhole, is: losesWork,
		why: "Overwrites uncommitted work of the person", instead: saveFirst,
	},
	{
		id: "fs.mode-root", verdict: Deny, kind: effect.ChangeMode, in: inRoot | inHome | inKeys, is: recursive,
		why: "Changes rights of the system or a home, recursively", instead: "Change the mode of named files only.",
	},
	{
		id: "fs.mode-setuid", verdict: Ask, kind: effect.ChangeMode, op: ops{effect.Setuid, effect.SetuidTree},
		why: "Makes a program run with its owner's rights", instead: "Run it with the rights that the session has.",
	},
	{
		id: "fs.mode-world", verdict: Ask, kind: effect.ChangeMode, op: ops{effect.World, effect.WorldTree},
		why: "Makes files writable for everybody", instead: "Use 755 or 644, or add the right for one user or group.",
	},
	{
		id: "fs.mode-system", verdict: Ask, kind: effect.ChangeMode,
		in: inSystem | inRoot | inHome | inElsewhere | inOpen, is: recursive,
		why: "Changes rights outside the project, recursively", instead: "Change the mode of named files only.",
	},
	{
		id: "fs.mode-system", verdict: Ask, kind: effect.ChangeMode, in: inSystem | inRoot,
		why: "Changes rights of system files", instead: "Copy the file into the project and change the copy.",
	},
	{
		id: "task.outside", verdict: Ask, kind: effect.MoveAway, or: []effect.Kind{effect.ChangeMode},
		in: inElsewhere | inKeys | inHome | inSystem, is: outsideTask,
		why: "Changes what lies outside the folder of its task", instead: ownTask,
	},
}
