package judge

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
)

// treeOps are the ways to lose what lies in a tree of git, but not what its repository keeps.
var treeOps = ops{
	effect.ResetHard, effect.ResetHardTo, effect.ResetMerge, effect.ReadTree, effect.CheckoutForce,
	effect.SwitchForce, effect.RestoreAll, effect.RestorePath, effect.RestoreIndexed, effect.Clean, effect.CleanAll,
	effect.CleanPath, effect.CleanIgnored,
}

// gitRules are about the history, the branches and the uncommitted work of a repository.
var gitRules = []policy{
	{id: "git.scratch", kind: effect.Discard, op: treeOps, is: inTempClone},
	{id: "git.reset-hard", kind: effect.Discard, op: ops{effect.ResetHard, effect.ResetMerge}, is: cleanTracked},
	{
		id: "git.reset-hard", verdict: Ask, kind: effect.Discard, op: ops{effect.ResetHardTo, effect.ReadTree},
		is:      cleanTree,
		why:     "Resets the tree and the branch",
		instead: "Keep the commits: `git branch KEEP` first, or `git reset --keep`.",
	},
	{
		id: "git.reset-hard", verdict: Deny, kind: effect.Discard,
		op:  ops{effect.ResetHard, effect.ResetHardTo, effect.ResetMerge, effect.ReadTree},
		why: "Throws uncommitted work away", instead: saveFirst,
	},
	{
		id: "git.checkout-force", kind: effect.Discard, op: ops{effect.CheckoutForce, effect.SwitchForce},
		is: cleanTree,
	},
	{
		id: "git.restore-all", kind: effect.Discard,
		op: ops{effect.RestoreAll, effect.RestorePath, effect.RestoreIndexed}, is: cleanTracked,
	},
	{
		id: "git.checkout-force", verdict: Deny, kind: effect.Discard,
		op:  ops{effect.CheckoutForce, effect.SwitchForce},
		why: "Switches branches over uncommitted work", instead: saveFirst,
	},
	{
		id: "git.restore-all", verdict: Deny, kind: effect.Discard, op: ops{effect.RestoreAll},
		why: "Throws all uncommitted work away", instead: saveFirst,
	},
	{
		id: "git.restore-path", kind: effect.Discard, op: ops{effect.RestorePath, effect.RestoreIndexed},
		is: nothingUnsaved,
	},
	{
		id: "git.restore-path", verdict: Ask, kind: effect.Discard,
		op:      ops{effect.RestorePath, effect.RestoreIndexed},
		why:     "Throws uncommitted changes of files away",
		instead: "Look at `git diff` of the file first, or stash it: `git stash push FILE`.",
	},
	{id: "git.clean", kind: effect.Discard, op: ops{effect.Clean}, is: noUntracked},
	{
		id: "git.clean", verdict: Deny, kind: effect.Discard, op: ops{effect.Clean, effect.CleanAll},
		why:     "Deletes untracked files",
		instead: "List them with `git clean -n`, then delete by name what you made yourself.",
	},
	{
		id: "git.clean-path", verdict: Ask, kind: effect.Discard, op: ops{effect.CleanPath, effect.CleanIgnored},
		why: "Deletes untracked or ignored files", instead: "List them with `git clean -n`, then delete by name.",
	},
	{
		id: "git.stash-clear", verdict: Deny, kind: effect.Discard, op: ops{effect.StashClear},
		why: "Deletes every stash", instead: "Drop one stash by its name after `git stash show -p`.",
	},
	{
		id: "git.stash-drop", verdict: Ask, kind: effect.Discard, op: ops{effect.StashDrop},
		why: "Deletes a stash", instead: "Look at it with `git stash show -p` first.",
	},
	{id: "git.give-up", kind: effect.Discard, op: ops{effect.GiveUp}},
	{
		id: "git.worktree", verdict: Ask, kind: effect.Discard,
		why:     "Removes a worktree with its changes",
		instead: "Commit in the worktree, then remove it without --force.",
	},
	{
		id: "git.push-mirror", verdict: Deny, kind: effect.PushForce, op: ops{effect.Mirror, effect.Everything},
		why: "Overwrites every branch of the remote", instead: "Push one branch by its name.",
	},
	{
		id: "git.push-force-main", verdict: Deny, kind: effect.PushForce, is: mainBranch,
		why: "Rewrites the default branch of the remote", instead: "Push a new branch and open a pull request.",
	},
	{
		id: "git.push-force-main", verdict: Deny, kind: effect.PushForce, op: ops{effect.Force}, is: currentUnknown,
		why:     "Rewrites a remote branch without naming it",
		instead: "Name the branch: git push --force-with-lease origin BRANCH.",
	},
	{
		id: "git.push-force", verdict: Ask, kind: effect.PushForce, op: ops{effect.Lease}, is: currentUnknown,
		why: "Rewrites a remote branch", instead: "Use --force-with-lease and name the branch.",
	},
	{id: "git.push-lease", kind: effect.PushForce, op: ops{effect.Lease}},
	{
		id: "git.push-force", verdict: Ask, kind: effect.PushForce,
		why: "Rewrites a remote branch", instead: "Use --force-with-lease and name the branch.",
	},
	{
		id: "git.delete-main", verdict: Deny, kind: effect.PushDelete, op: ops{effect.Branch}, is: mainNamed,
		why:     "Deletes the default branch of the remote",
		instead: "Leave the default branch; make and delete branches of your own.",
	},
	{
		id: "git.push-delete", verdict: Ask, kind: effect.PushDelete,
		why:     "Deletes a branch or tag of the remote",
		instead: "Name the branch and say that it is merged; the forge deletes it with the pull request.",
	},
	{
		id: "afar.undo", verdict: Deny, self: true, kind: effect.RewriteRefs, is: undoRef,
		why: "Deletes what an undo is made of", instead: parkAfar,
	},
	{
		id: "git.branch-main", verdict: Deny, kind: effect.RewriteRefs,
		op: ops{effect.BranchDeleteForce, effect.RefDelete}, is: mainNamed,
		why: "Deletes the default branch", instead: "Delete only branches you made.",
	},
	{
		id: "git.branch-delete", verdict: Ask, kind: effect.RewriteRefs, op: ops{effect.BranchDelete}, is: mainNamed,
		why: "Deletes the default branch", instead: "Delete only branches you made.",
	},
	{id: "git.branch-delete", kind: effect.RewriteRefs, op: ops{effect.BranchDelete}},
	{
		id: "git.branch-force", kind: effect.RewriteRefs, op: ops{effect.BranchDeleteForce, effect.RefDelete},
		is: merged,
	},
	{
		id: "git.branch-force", verdict: Ask, kind: effect.RewriteRefs,
		op:      ops{effect.BranchDeleteForce, effect.BranchForce, effect.RefDelete},
		why:     "Deletes or moves a branch that may not be merged",
		instead: "Use `git branch -d`, which refuses to lose commits.",
	},
	{
		id: "git.branch-force", verdict: Ask, kind: effect.RewriteRefs, op: ops{effect.BranchReset}, is: mainNamed,
		why:     "Moves the default branch, whatever is committed there",
		instead: "Make a branch under another name, or merge.",
	},
	{id: "git.branch-reset", kind: effect.RewriteRefs, op: ops{effect.BranchReset}, is: merged},
	{
		id: "git.branch-force", verdict: Ask, kind: effect.RewriteRefs, op: ops{effect.BranchReset},
		why:     "Moves a branch away from commits that only it has",
		instead: "Make a branch under another name.",
	},
	{
		id: "git.base", verdict: Ask, kind: effect.RewriteRefs, op: ops{effect.Base},
		why:     "Moves or replaces what reviews and landings start from",
		instead: "Commit on your own branch and leave the others, also those of remotes; git fetch updates these.",
	},
	{
		id: "git.reflog", verdict: Deny, kind: effect.RewriteRefs, op: ops{effect.Reflog, effect.Prune},
		why:     "Destroys the record that brings lost commits back",
		instead: "Leave the reflog and unreachable objects alone.",
	},
	{
		id: "git.filter", verdict: Ask, kind: effect.RewriteRefs, op: ops{effect.Filter},
		why: "Rewrites the history of every branch", instead: "Make a backup clone first, and let the person decide.",
	},
	{id: "git.rebase", kind: effect.RewriteRefs, op: ops{effect.Rebase}},
	{
		id: "git.refs", verdict: Ask, kind: effect.RewriteRefs,
		why:     "Deletes a tag, a remote or stored objects",
		instead: "Make a new tag or remote under another name, and leave the old one.",
	},
	{
		id: "git.settings", verdict: Ask, kind: effect.GitSettings,
		why:     "Makes git run a program of its own, or overwrite what is pushed to",
		instead: "Pass the setting for one command with `git -c`, or run the program yourself.",
	},
}
