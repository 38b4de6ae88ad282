package effect

// An Op says in more detail than a Kind what an effect does. Rules use only the
// constants of this list. Named makes an Op of a word of the program, such as a
// verb or its name; that Op is only shown.
type Op string

// Named returns the Op of an effect that is described by a word of the program.
func Named(word string) Op { return Op(word) }

// What is done to files and disks.
const (
	Append    Op = "append" // the file keeps what it has
	Create    Op = "create"
	Edit      Op = "edit" // a part of the file changes
	Find      Op = "find"
	Format    Op = "format"
	GitForce  Op = "git-force"
	Local     Op = "local"
	Partition Op = "partition"
	Setuid    Op = "setuid"
	Shred     Op = "shred"
	ToNull    Op = "to /dev/null"
	Truncate  Op = "truncate"
	Unpack    Op = "unpack"
	Volume    Op = "volume"
)

// How work, refs and branches of git are lost, and how programs get more rights.
const (
	Branch            Op = "branch"
	BranchDelete      Op = "branch-delete"
	BranchDeleteForce Op = "branch-delete-force"
	BranchForce       Op = "branch-force"
	BranchReset       Op = "branch-reset"
	ByName            Op = "by name"
	ByPattern         Op = "by pattern"
	CheckoutForce     Op = "checkout-force"
	Clean             Op = "clean"
	CleanAll          Op = "clean-all"
	CleanIgnored      Op = "clean-ignored"
	CleanPath         Op = "clean-path"
	Doas              Op = "doas"
	Filter            Op = "filter"
	Force             Op = "force"
	GiveUp            Op = "give-up"
	Lease             Op = "lease"
	Mirror            Op = "mirror"
	NoPreserveRoot    Op = "no-preserve-root"
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
	Strip             Op = "strip"
	SwitchForce       Op = "switch-force"
	System            Op = "system"
	LFSPrune          Op = "lfs-prune"
	LFSMigrate        Op = "lfs-migrate"
	TagDelete         Op = "tag-delete"
	Tags              Op = "tags"
	Tag               Op = "tag"
	Worktree          Op = "worktree"
	World             Op = "world"
	WorldTree         Op = "world tree"
)

// Where code comes from, and how it runs.
const (
	Crontab         Op = "crontab"
	CrontabRemoved  Op = "crontab removed"
	DatabaseProgram Op = "database program"
	Decoded         Op = "decoded"
	ForeignClient   Op = "claude without the person's settings"
	ForkingFunction Op = "a function that forks itself"
	ForkingLoop     Op = "a loop that forks"
	HostRights      Op = "container with host rights"
	LaunchAgent     Op = "launch agent"
	Manifest        Op = "manifest"
	Network         Op = "network"
	Pipe            Op = "pipe"
	Runas           Op = "runas"
	ScheduledTask   Op = "scheduled task"
	Service         Op = "service"
	ShellSocket     Op = "shell socket"
	Socket          Op = "socket"
	Sudo            Op = "sudo"
	SwitchUser      Op = "su"
	UncheckedClient Op = "claude without permissions"
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
	AnonymousVolumes Op = "anonymous volumes"
	Apply            Op = "apply"
	Cache            Op = "cache"
	ClusterSettings  Op = "cluster settings"
	Compose          Op = "compose"
	DNS              Op = "dns"
	Docker           Op = "docker"
	Finalizers       Op = "finalizers"
	Gist             Op = "gist"
	Image            Op = "image"
	Machine          Op = "machine"
	Mail             Op = "mail"
	Maintenance      Op = "maintenance"
	Message          Op = "message"
	Move             Op = "move"
	Overwrite        Op = "overwrite"
	Part             Op = "part"
	Patches          Op = "patches"
	Python           Op = "python"
	Redis            Op = "redis"
	Refund           Op = "refund"
	Revoke           Op = "revoke"
	Rights           Op = "rights"
	Rollback         Op = "rollback"
	ScaleToZero      Op = "scale to zero"
	Secret           Op = "secret"
	State            Op = "state"
	Sync             Op = "sync"
	Teardown         Op = "teardown"
	Volumes          Op = "volumes"
)

// Which secret is shown.
const (
	ClusterSecret      Op = "cluster secret"
	CommittedSecret    Op = "committed secret"
	CopiedSecret       Op = "copy of a credential"
	Environment        Op = "environment"
	Keychain           Op = "keychain"
	MachineCredentials Op = "credentials of the machine"
	PrivateKey         Op = "private key"
	Variable           Op = "variable"
	Vault              Op = "vault"
)

// What is done to processes, services and the machine.
const (
	ExecutionPolicy Op = "execution policy"
	Settings        Op = "settings"
	Accounts        Op = "accounts"
	Backups         Op = "backups"
	ByFile          Op = "by file"
	ByPID           Op = "pid"
	Container       Op = "container"
	Disk            Op = "disk"
	Everything      Op = "all"
	Firewall        Op = "firewall"
	Found           Op = "found"
	HTTP            Op = "http"
	HistoryCleared  Op = "history cleared"
	Host            Op = "host"
	KeysOfTheAgent  Op = "keys of the agent"
	Mounts          Op = "mounts"
	Pip             Op = "pip"
	Powershell      Op = "powershell"
	Registry        Op = "registry"
	Server          Op = "server"
	Swap            Op = "swap"
	Terminal        Op = "terminal"
)

// What is done to Afar and to the host.
const (
	AfarOff     Op = "Afar off"
	Hook        Op = "hook"
	HooksOff    Op = "hooks off"
	Prompt      Op = "prompt"
	SettingsOff Op = "settings off"
	Skill       Op = "skill"
	WebPage     Op = "web page"
	Cookies     Op = "cookies of a browser"
)

// What was not read.
const (
	TooManyEffects Op = "too many effects"
)

// What is told of files, and of what was not understood.
const (
	OtherSetting    Op = "other setting"
	OverBudget      Op = "over budget"
	TooLong         Op = "too long"
	Syntax          Op = "syntax"
	ForeignCode     Op = "code of another language"
	TooManyParts    Op = "too many parts"
	Owner           Op = "owner"
	OwnerTree       Op = "owner tree"
	Mode            Op = "mode"
	ModeTree        Op = "mode tree"
	Object          Op = "object"
	Tool            Op = "tool"
	Command         Op = "command"
	TooLongToFollow Op = "too long to follow"
)
