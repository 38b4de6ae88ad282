package judge

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
)

// fileRules are about files and disks.
var fileRules = []policy{
	// Deleting.
	{id: "fs.delete-container", kind: effect.DeleteTree, or: deleteKinds, when: when{is: inContainer}},
	{
		id: "fs.delete-container", kind: effect.DeleteTree, or: deleteKinds,
		when: when{in: inSystem | inElsewhere, is: madeAgain},
	},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteTree, when: when{in: inRoot | inDevice},
		why: "Deletes the system", instead: narrower,
	},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteTree, or: deleteKinds, when: when{is: vitalOutside},
		why: "Deletes what the system needs to start or to let people in", instead: narrower,
	},
	{
		id: "fs.delete-home", verdict: Deny, kind: effect.DeleteTree, when: when{in: inHome | inKeys},
		why: "Deletes a home directory", instead: narrower,
	},
	{
		id: "fs.delete-project", verdict: Deny, kind: effect.DeleteTree, when: when{in: inWhole},
		why: "Deletes the whole project", instead: narrower,
	},
	{
		id: "fs.delete-git", verdict: Deny, kind: effect.DeleteTree, when: when{in: inRepo},
		why:     "Deletes the repository's history",
		instead: "Never delete .git. A stale lock is removed by its own name: .git/index.lock.",
	},
	{
		id: "fs.delete-null", verdict: Ask, kind: effect.DeleteTree, when: when{op: ops{effect.ToNull}},
		why: "Moves files into nothing", instead: "Delete the file by name if it may go.",
	},
	{
		id: "fs.git-rm", verdict: Ask, kind: effect.DeleteTree, when: when{op: ops{effect.GitForce}},
		why: "Removes tracked files with their changes", instead: saveFirst,
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.DeleteTree, when: when{in: inProject, is: losesWork},
		why: "Deletes uncommitted work of the person", instead: saveFirst,
	},
	{id: "fs.delete-inside", kind: effect.DeleteTree, when: when{in: inProject | inTemp}},
	{id: "fs.delete-cached", kind: effect.DeleteTree, when: when{in: inElsewhere, is: rebuilt}},
	{id: "fs.delete-created", kind: effect.DeleteTree, when: when{in: inElsewhere | inSystem, is: created}},
	{id: "fs.delete-absent", kind: effect.DeleteTree, when: when{in: inElsewhere, is: absent}},
	{
		id: "fs.delete-system", verdict: Ask, kind: effect.DeleteTree, when: when{in: inSystem},
		why: "Deletes below a system directory", instead: narrower,
	},
	{
		id: "fs.delete-elsewhere", verdict: Ask, kind: effect.DeleteTree,
		why: "Deletes a tree outside the project", instead: narrower,
	},
	{
		id: "fs.delete-git", verdict: Deny, kind: effect.DeleteFile, when: when{in: inRepo},
		why:     "Deletes a part of the repository's history",
		instead: "Use git commands; remove only stale lock files by hand.",
	},
	{
		id: "fs.delete-root", verdict: Deny, kind: effect.DeleteFile,
		when: when{in: inRoot | inDevice, is: globbed},
		why:  "Deletes the system", instead: narrower,
	},
	{
		id: "fs.delete-home", verdict: Deny, kind: effect.DeleteFile, when: when{in: inHome, is: globbed},
		why: "Deletes what lies in a home directory", instead: narrower,
	},
	{
		id: "fs.delete-all", verdict: Ask, kind: effect.DeleteFile, when: when{in: inWhole},
		why: "Deletes every file of the project's top directory", instead: narrower,
	},
	{
		id: "fs.shred", verdict: Ask, kind: effect.DeleteFile, when: when{op: ops{effect.Shred}},
		why: "Shreds a file beyond recovery", instead: narrower,
	},
	{
		id: "secret.delete", verdict: Ask, kind: effect.DeleteFile, when: when{is: secretRead},
		why: "Deletes credentials", instead: "Leave keys in place; say which one is not needed any more.",
	},
	{
		id: "fs.delete-system", verdict: Ask, kind: effect.DeleteFile, when: when{in: inSystem | inRoot | inHome},
		why: "Deletes a system file", instead: narrower,
	},
	{
		id: "fs.delete-start", verdict: Ask, kind: effect.DeleteFile, when: when{is: startFile},
		why:     "Deletes what runs at login or at start",
		instead: "Set it for this command only, or in a file of the project such as .envrc.",
	},
	{id: "fs.delete-cached", kind: effect.DeleteFile, when: when{in: inElsewhere, is: rebuilt}},
	{id: "fs.delete-created", kind: effect.DeleteFile, when: when{in: inElsewhere, is: created}},
	{id: "fs.delete-absent", kind: effect.DeleteFile, when: when{in: inElsewhere, is: absent}},
	{
		id: "fs.delete-elsewhere", verdict: Ask, kind: effect.DeleteFile,
		when: when{in: inElsewhere | inKeys, is: onThisMachine},
		why:  "Deletes files outside the project", instead: narrower,
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.DeleteFile, when: when{in: inProject, is: losesWork},
		why: "Deletes uncommitted work of the person", instead: saveFirst,
	},
	{id: "fs.delete-inside", kind: effect.DeleteFile},
	{
		id: "fs.move-root", verdict: Deny, kind: effect.MoveAway,
		when: when{in: inRoot | inHome | inRepo | inDevice},
		why:  "Moves the system, a home or the repository away", instead: narrower,
	},
	{
		id: "fs.move-root", verdict: Deny, kind: effect.MoveAway, when: when{is: vitalOutside},
		why: "Moves away what the system needs to start or to let people in", instead: narrower,
	},
	{
		id: "fs.move-project", verdict: Ask, kind: effect.MoveAway, when: when{in: inWhole | inKeys},
		why: "Moves the whole project away", instead: narrower,
	},
	{
		id: "secret.move", verdict: Ask, kind: effect.MoveAway, when: when{is: secretRead},
		why:     "Moves credentials",
		instead: "Leave keys where their tools look for them; point the tool to the path instead.",
	},
	{
		id: "fs.move-system", verdict: Ask, kind: effect.MoveAway, when: when{in: inSystem},
		why: "Moves a system file away", instead: "Copy it into the project and work on the copy.",
	},

	// Writing. What a container has besides its volumes comes from its image.
	{id: "fs.write-container", kind: effect.WriteFile, when: when{in: inSystem | inElsewhere, is: inAnyContainer}},
	{id: "fs.mode-container", kind: effect.ChangeMode, when: when{in: inSystem | inElsewhere, is: inAnyContainer}},
	{
		id: "disk.write", verdict: Deny, kind: effect.WriteFile, when: when{in: inDevice},
		why:     "Writes to a disk past its file system",
		instead: "Work on an image file in the project instead of a device.",
	},
	{
		id: "disk.write", verdict: Deny, kind: effect.WriteDisk,
		why: "Formats or repartitions a disk", instead: "Work on an image file in the project instead of a device.",
	},
	{
		id: "host.plugins", verdict: Ask, kind: effect.WriteFile, when: when{is: serverList},
		why:     "Changes the servers that the host starts",
		instead: "Show the entry that .mcp.json needs, and let the person add it.",
	},
	{
		id: "fs.write-repo", verdict: Ask, kind: effect.WriteFile, when: when{is: repoWrite},
		why: "Writes into the repository's own files", instead: "Use git commands instead of editing .git.",
	},
	{
		id: "fs.write-vital", verdict: Deny, kind: effect.WriteFile, when: when{is: vitalOutside},
		why:     "Overwrites a file that the system needs to start or to let people in",
		instead: "Write the change to a file in the project, and let the person install it.",
	},
	{
		id: "fs.write-start", verdict: Ask, kind: effect.WriteFile, when: when{is: startFile},
		why:     "Changes what runs at login or at start",
		instead: "Set it for this command only, or in a file of the project such as .envrc.",
	},
	{
		id: "secret.write", verdict: Ask, kind: effect.WriteFile, when: when{is: secretWrite},
		why: "Overwrites credentials", instead: "Write a template such as .env.example; the person fills it in.",
	},
	{
		id: "fs.write-system", verdict: Ask, kind: effect.WriteFile, when: when{is: systemWrite},
		why:     "Writes below a system directory",
		instead: "Install below the project or the home, for example with --prefix.",
	},
	{
		id: "task.outside", verdict: Ask, kind: effect.WriteFile,
		when: when{in: inElsewhere | inKeys | inHome | inSystem, is: outsideTask},
		why:  "Changes what lies outside the folder of its task", instead: ownTask,
	},
	{
		id: "fs.empty-elsewhere", kind: effect.WriteFile,
		when: when{op: ops{effect.Truncate}, in: inElsewhere, is: rebuilt},
	},
	{
		id: "fs.empty-elsewhere", kind: effect.WriteFile,
		when: when{op: ops{effect.Truncate}, in: inElsewhere, is: created},
	},
	{
		id: "fs.empty-elsewhere", verdict: Ask, kind: effect.WriteFile,
		when:    when{op: ops{effect.Truncate}, in: inElsewhere, is: onThisMachine},
		why:     "Empties a file outside the project",
		instead: "Empty files of the project only, or ask the person to empty this one.",
	},
	{
		id: "fs.empty-elsewhere", verdict: Ask, kind: effect.WriteFile,
		when:    when{in: inElsewhere | inKeys, is: overwrites},
		why:     "Overwrites a file outside the project",
		instead: "Write to a new name, or add to the file with >>.",
	},
	{
		id: "fs.lose-work", verdict: Ask, kind: effect.WriteFile, when: when{in: inProject | inWhole, is: losesWork},
		why: "Overwrites uncommitted work of the person", instead: saveFirst,
	},
	{
		id: "fs.mode-root", verdict: Deny, kind: effect.ChangeMode,
		when: when{in: inRoot | inHome | inKeys, is: recursive},
		why:  "Changes rights of the system or a home, recursively", instead: "Change the mode of named files only.",
	},
	{
		id: "fs.mode-setuid", verdict: Ask, kind: effect.ChangeMode,
		when: when{op: ops{effect.Setuid, effect.SetuidTree}},
		why:  "Makes a program run with its owner's rights", instead: "Run it with the rights that the session has.",
	},
	{
		id: "fs.mode-world", verdict: Ask, kind: effect.ChangeMode,
		when:    when{op: ops{effect.World, effect.WorldTree}},
		why:     "Makes files writable for everybody",
		instead: "Use 755 or 644, or add the right for one user or group.",
	},
	{
		id: "fs.mode-system", verdict: Ask, kind: effect.ChangeMode,
		when: when{in: inSystem | inRoot | inHome | inElsewhere | inOpen, is: recursive},
		why:  "Changes rights outside the project, recursively", instead: "Change the mode of named files only.",
	},
	{
		id: "fs.mode-system", verdict: Ask, kind: effect.ChangeMode, when: when{in: inSystem | inRoot},
		why: "Changes rights of system files", instead: "Copy the file into the project and change the copy.",
	},
	{
		id: "task.outside", verdict: Ask, kind: effect.MoveAway, or: []effect.Kind{effect.ChangeMode},
		when: when{in: inElsewhere | inKeys | inHome | inSystem, is: outsideTask},
		why:  "Changes what lies outside the folder of its task", instead: ownTask,
	},
}
