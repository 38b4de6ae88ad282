package effect

// An Op says in more detail than a Kind what an effect does. One that rules use, or that is
// reported in several places, is a constant of this list. Every other Op is only shown.
type Op string

// Named returns an Op that is only shown: a word of the program, such as a verb or its name, or
// a short description. Rows have it as a text.
func Named(word string) Op { return Op(word) }

// What is done to files and disks.
const (
	Append   Op = "append" // the file keeps what it has
	Create   Op = "create"
	Edit     Op = "edit" // a part of the file changes
	Find     Op = "find"
	Format   Op = "format"
	GitForce Op = "git-force"
	Local    Op = "local"
	Placed   Op = "placed" // a link, or a file that another one becomes
	Setuid   Op = "setuid"
	Shred    Op = "shred"
	ToNull   Op = "to /dev/null"
	ToTemp   Op = "to a temporary folder"
	Truncate Op = "truncate"
	Unpack   Op = "unpack"
)

// How work, refs and branches of git are lost, and how programs get more rights.
const (
	Base              Op = "base" // what reviews and landings start from
	Branch            Op = "branch"
	BranchDelete      Op = "branch-delete"
	BranchDeleteForce Op = "branch-delete-force"
	BranchForce       Op = "branch-force"
	BranchReset       Op = "branch-reset"
	ByName            Op = "by name"
	ByPattern         Op = "by pattern"
	CheckoutForce     Op = "checkout-force"
	Clean             Op = "clean"
	Commit            Op = "commit"     // what is staged
	CommitAll         Op = "commit-all" // what is tracked
	Stage             Op = "stage"
	Stash             Op = "stash"     // what is tracked
	StashAll          Op = "stash-all" // what is not ignored
	StashPop          Op = "stash-pop"
	CleanAll          Op = "clean-all"
	CleanIgnored      Op = "clean-ignored"
	CleanPath         Op = "clean-path"
	Doas              Op = "doas"
	Filter            Op = "filter"
	Force             Op = "force"
	GiveUp            Op = "give-up"
	Lease             Op = "lease"
	Mirror            Op = "mirror"
	Pkexec            Op = "pkexec"
	Prune             Op = "prune"
	ReadTree          Op = "read-tree"
	Rebase            Op = "rebase"
	RefDelete         Op = "ref-delete"
	Reflog            Op = "reflog"
	RemoteRemove      Op = "remote-remove"
	ResetHard         Op = "reset-hard"
	ResetHardTo       Op = "reset-hard-to"
	ResetMerge        Op = "reset-merge"
	RestoreAll        Op = "restore-all"
	RestorePath       Op = "restore-path"
	RestoreIndexed    Op = "restore-indexed" // as RestorePath, from the index
	Runuser           Op = "runuser"
	SetuidTree        Op = "setuid tree"
	StashClear        Op = "stash-clear"
	StashDrop         Op = "stash-drop"
	SwitchForce       Op = "switch-force"
	Worktree          Op = "worktree"
	World             Op = "world"
	WorldTree         Op = "world tree"
)

// Where code comes from, and how it runs.
const (
	Crontab         Op = "crontab"
	DatabaseProgram Op = "database program"
	Decoded         Op = "decoded"
	ForkingLoop     Op = "a loop that forks"
	HostRights      Op = "container with host rights"
	Manifest        Op = "manifest"
	Network         Op = "network"
	Outside         Op = "outside the session" // a program of the person starts it
	ScheduledTask   Op = "scheduled task"
	Service         Op = "service"
	ShellSocket     Op = "shell socket"
	Socket          Op = "socket"
	Unboxed         Op = "outside the sandbox"
	Sudo            Op = "sudo"
	Unseen          Op = "unknown"
)

// What is dropped.
const (
	Column   Op = "column"
	Database Op = "database"
	Key      Op = "key"
	Log      Op = "log"
	Reset    Op = "reset"
	Rows     Op = "rows"
	Table    Op = "table"
	User     Op = "user"
	Values   Op = "values"
)

// What happens to something hosted, and where data goes.
const (
	Apply       Op = "apply"
	Docker      Op = "docker"
	Message     Op = "message"
	Move        Op = "move"
	Part        Op = "part"
	Rights      Op = "rights"
	ScaleToZero Op = "scale to zero"
	Secret      Op = "secret"
	State       Op = "state"
	Sync        Op = "sync"
	Teardown    Op = "teardown"
	Volumes     Op = "volumes"
)

// Which secret is shown.
const (
	CommittedSecret    Op = "committed secret"
	StagedTree         Op = "staged tree" // the new files of Target come into the history
	Keychain           Op = "keychain"
	MachineCredentials Op = "credentials of the machine"
	Variable           Op = "variable"
)

// What is done to processes, services and the machine.
const (
	ExecutionPolicy Op = "execution policy"
	Accounts        Op = "accounts"
	ByFile          Op = "by file"
	ByPID           Op = "pid"
	Container       Op = "container"
	Disk            Op = "disk"
	Everything      Op = "all"
	Found           Op = "found"
	HTTP            Op = "http"
	Inside          Op = "inside" // the memory and the calls of another process
	Limits          Op = "limits" // of another process
	Host            Op = "host"
	Registry        Op = "registry"
	Swap            Op = "swap"
	Terminal        Op = "terminal"
)

// What is done to Afar and to the host.
const (
	HooksOff Op = "hooks off"
	WebPage  Op = "web page"
	Cookies  Op = "cookies of a browser"
)

// What is told of files, and of what was not understood.
const (
	OtherSetting Op = "other setting"
	OverBudget   Op = "over budget"
	ForeignCode  Op = "code of another language"
	Owner        Op = "owner"
	ModeTree     Op = "mode tree"
	OwnerTree    Op = "owner tree"
	Mode         Op = "mode"
	Tool         Op = "tool"
)
