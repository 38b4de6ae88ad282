package machine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/hosted"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
)

// containerClients are the clients that start containers on a machine.
const containerClients = "docker podman nerdctl finch"

// ContainerPrograms are the programs of this file, with what each does.
var ContainerPrograms = []rows.Table{
	{Programs: containerClients, Options: "H c l host context log-level config tlscacert", Leads: true, Do: container},
	{Programs: "docker-compose podman-compose", Do: runCompose},
	{
		Programs: "kubectl k oc microk8s.kubectl k3s-kubectl kubecolor",
		Options:  clusterOptions, Rows: ClusterRows, Do: rows.PrintUnknown,
	},
	{
		Programs: "kubectx",
		Rows:     []rows.Row{{Words: "*", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}}},
	},
	{Programs: "helm", Do: hosted.Report},
}

const clusterOptions = here.CommonValues + " v grace-period field-selector replicas patch"

// container reports the effects of a container client. Options before the verb
// belong to the client, and options after it belong to the verb.
func container(sh *shell.Shell, c shell.Command, o argv.Options) {
	rest := o.Pos
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0], rest[1:]
	switch {
	case verb == "build", verb == "buildx" && slices.Contains(args, "build"):
		buildImage(sh, c, args)
	}
	verbs, inner, words := ContainerVerbs, shell.Command{Name: c.Name, Args: args, In: c.In}, argv.Options{Pos: rest}
	switch {
	case lex.OneOf(verb, "builder buildx container image network pod system volume") && len(args) > 0:
		verbs, inner.Args, words = ContainerNouns, args[1:], argv.ParseOptions(args[1:], "f filter")
		words.Pos = append([]string{verb, args[0]}, words.Pos...)
	case onOtherHost(sh, o):
		rows.Run(sh, OtherHostRows, rest, inner, words)
	}
	rows.Run(sh, verbs, words.Pos, inner, words)
	sh.Print(listed(words.Pos, args))
}

// buildImage reports an image that is published when it is built, and code that it takes.
func buildImage(sh *shell.Shell, c shell.Command, args []string) {
	if slices.Contains(args, "--push") || lex.Mentions(strings.Join(args, " "), "type=registry push=true") {
		sh.Effect(effect.PublishOut, effect.Docker, "image")
	}
	source.ReportTaken(sh, args[max(0, len(args)-1):])
	for _, text := range rows.Stdin(c) {
		sh.Opaque(text)
	}
}

// rememberNetwork remembers a network that this call makes.
func rememberNetwork(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sh.Makes("network", o.At(len(o.Pos)-1))
}

// listed returns what a list of containers or images shows. A filter by name, by image or by label
// says which ones are meant. Those that ended or have no name are not in use.
func listed(words, args []string) string {
	if !lex.ContainsAny(words[:min(2, len(words))], "ps ls list images") {
		return partial.Unknown
	}
	for _, filter := range argv.ParseOptions(args, "f filter n last format").All("f", "filter") {
		if lex.BeginsWith(filter, meantFilters) && !partial.HasHole(filter) && !strings.HasSuffix(filter, "=") {
			return filter
		}
	}
	return partial.Unknown
}

const meantFilters = "name= ancestor= label= status=exited status=created status=dead dangling=true publish= reference="

// ContainerNouns describe commands of a noun and a verb, such as "volume rm".
var ContainerNouns = []rows.Row{
	{Words: "system reset", Does: effect.PruneLocal, Op: effect.Volumes},
	{Words: "system prune", Does: effect.PruneLocal, Op: "system"},
	{Words: "volume rm|remove|prune", Does: effect.PruneLocal, Op: effect.Volumes, To: rows.OperandsFrom(2)},
	{Words: "pod|container|image rm|remove", Also: reportRemovedContainers},
	{Words: "image|builder|buildx prune", Without: "a all"},
	{Words: "network|pod|image|builder|buildx prune", Does: effect.PruneLocal, OpOf: rows.Operand(0)},
	{Words: "container run|exec", Also: runContainer},
	{Words: "container inspect", Also: printSettings},
	{Words: "image push", Does: effect.PublishOut, Op: effect.Docker, To: rows.Text("image")},
	{Words: "network create *", Also: rememberNetwork},
	{
		Words: "network rm|remove", Made: &rows.Made{Kind: "network", Names: rows.OperandsFrom(2)},
		Does: effect.PruneLocal,
		Op:   effect.Network, To: rows.OperandsFrom(2),
	},
}

// ContainerVerbs describe the commands without a noun.
var ContainerVerbs = []rows.Row{
	{Words: "run|exec|create", Also: runContainer},
	{Words: "compose", Also: runCompose},
	{Words: "rm|rmi", Also: reportRemovedContainers},
	{Words: "inspect", Also: printSettings},
	{Words: "cp", Also: reportContainedCopies},
	{Words: "unshare", Runs: &rows.Start{Words: rows.OperandsFrom(1)}},
	{Words: "push", Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("image")},
	{Words: "manifest|trust push|sign", Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("image")},
	{Words: "kill", Does: effect.StopService, Op: effect.Container, To: rows.OperandsFrom(1)},
	{
		Words: "stop|restart", Mention: rows.UnknownNames, Does: effect.StopService, Op: effect.Container,
		To: rows.Arguments,
	},
	{Words: "context use *", Sets: &rows.Assignment{Name: hostContext, To: rows.Operand(2)}},
	{Words: "machine rm|reset", Does: effect.PruneLocal, Op: "machine"},
	{
		Words: "swarm|stack|service|node|secret|config rm|remove|leave",
		Does:  effect.DestroyRemote, Op: effect.Part, To: rows.Joined{rows.Operand(0), rows.Operand(1)},
	},
}

// OtherHostRows describe what stops or removes containers that others use: those of another host.
var OtherHostRows = []rows.Row{
	{
		Words: "rm|rmi|stop|kill|restart|pause|update", Does: effect.ChangeRemote, OpOf: rows.Operand(0),
		To: rows.Arguments,
	},
	{
		Words: "compose", Among: "down rm stop kill restart pause", Does: effect.ChangeRemote, Op: "compose",
		To: rows.Arguments,
	},
}

// hostContext is where the host is remembered that a command of this call chooses.
const hostContext = "docker-context"

// onOtherHost reports whether a client of containers talks to another machine.
func onOtherHost(sh *shell.Shell, o argv.Options) bool {
	told := o.All("H", "host", "c", "context")
	for _, name := range [...]string{"DOCKER_HOST", "DOCKER_CONTEXT", hostContext} {
		if value, ok := sh.Lookup(name); ok && len(told) == 0 {
			told = value
		}
	}
	return slices.ContainsFunc(told, func(place string) bool {
		return !lex.BeginsWith(place, "unix: npipe: fd: default desktop- rootless podman-machine") && here.IsElsewhere(place)
	})
}

// runContainer follows the command into the container.
func runContainer(sh *shell.Shell, c shell.Command, o argv.Options) {
	verb := o.At(0)
	if verb == "container" {
		verb = o.At(1)
	}
	containerRun(sh, verb, c)
}

// printSettings prints the settings of a container that a format names. Its variables may hold keys.
func printSettings(sh *shell.Shell, c shell.Command, _ argv.Options) {
	switch format := strings.Join(c.Args, " "); {
	case !strings.Contains(format, "{{"):
	case strings.Contains(format, ".Env"):
		secret.ReportRevealed(sh, partial.UnknownKey)
	default:
		sh.Print(partial.Unknown)
		return
	}
	sh.Print(partial.UnknownKey)
}

// reportRemovedContainers reports containers that are removed with their volumes or by unknown names, and
// images that are removed by force. A container that is named is made again from its image.
func reportRemovedContainers(sh *shell.Shell, c shell.Command, words argv.Options) {
	o := argv.ParseOptions(c.Args, "")
	names := strings.Join(o.Pos, " ")
	switch {
	case o.Given("v volumes"):
		sh.Effect(effect.PruneLocal, effect.Named("anonymous volumes"), names)
	case partial.HasHole(names), o.Given("a all"), o.Given("f force") && lex.OneOf(words.At(0), "image rmi pod"):
		sh.Effect(effect.PruneLocal, effect.Named(words.At(0)), names)
	}
}

// containerRun follows the command into the container. Mounted host directories stay
// known, because a deletion inside the container deletes the host's files. Rows cannot say
// that: the options of the client end at the image, and a mount has a grammar of its own.
func containerRun(sh *shell.Shell, verb string, c shell.Command) {
	o, rest := argv.Leading(c.Args, containerValues)
	if len(rest) == 0 {
		return
	}
	reportRights(sh, o)
	child := containerShell(sh, verb, o, rest[0])
	for _, m := range append(o.All("v", "volume"), o.All("mount")...) {
		Mount(sh, child, m)
	}
	argv, image := rest[1:], imageName(rest[0])
	entry, given := o.Get("entrypoint")
	switch {
	case given, verb != "exec" && lex.OneOf(image, selfStarting):
		argv = append([]string{cmp.Or(entry, image)}, argv...)
	}
	child.Exec(argv, c.In)
}

// containerValues are the options with a value of "run" and "exec".
const containerValues = "v e p u w h l a m c volume mount env env-file publish user workdir name " +
	"network net hostname label entrypoint add-host cap-add cap-drop " +
	"cpus memory gpus platform pull restart security-opt shm-size tmpfs ulimit device dns expose ipc pid " +
	"userns uts log-driver log-opt volumes-from detach-keys attach cidfile group-add index"

// reportRights reports options that give a container rights on its host.
func reportRights(sh *shell.Shell, o argv.Options) {
	if switchedOn(o, "privileged") || strings.HasPrefix(lex.First(o.All("pid")), "host") {
		sh.Effect(effect.RunElevated, effect.HostRights, "")
	}
	for _, right := range o.All("cap-add") {
		if lex.OneOf(strings.TrimPrefix(strings.ToUpper(right), "CAP_"), "ALL DAC_READ_SEARCH SYS_ADMIN SYS_BOOT"+
			" SYS_MODULE SYS_RAWIO") {
			sh.Effect(effect.RunElevated, effect.HostRights, right)
		}
	}
}

// containerShell returns a shell in a container.
func containerShell(sh *shell.Shell, verb string, o argv.Options, name string) *shell.Shell {
	child := sh.Sub()
	child.Place = shell.Place{Cwd: "/", Home: "", Away: "container", Mounts: slices.Clip(sh.Place.Mounts)}
	switch {
	case verb != "exec":
		rememberServer(sh, o)
	case !sh.Made("container", name):
		child.Place.Away = effect.InRunning
	}
	if dir, ok := o.Get("w", "workdir"); ok {
		child.Place.Cwd = fspath.Clean("/" + dir)
	}
	return child
}

// rememberServer remembers the name of a container that this call makes, and its ports on this machine.
func rememberServer(sh *shell.Shell, o argv.Options) {
	name, _ := o.Get("name")
	sh.Makes("container", name)
	for _, ports := range o.All("p", "publish") {
		if parts := strings.Split(ports, ":"); len(parts) > 1 {
			here.RememberPort(sh, parts[len(parts)-2])
		}
	}
}

// selfStarting are the images whose container starts the program that the image is named after, and
// takes only its arguments.
const selfStarting = "ansible-playbook aws git helm kubectl opentofu rclone restic terraform terragrunt"

// imageName returns the name of an image without its registry, its tag and "-cli".
func imageName(image string) string {
	name, _, _ := strings.Cut(fspath.Base(image), ":")
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimSuffix(name, "-cli")
}

// switchedOn reports whether a switch is on.
func switchedOn(o argv.Options, name string) bool {
	v, given := o.Get(name)
	return o.Given(name) && (!given || v == "true")
}

// Mount records a mounted host directory, and reports one that gives host rights.
func Mount(sh *shell.Shell, child *shell.Shell, spec string) {
	host, inside, _ := strings.Cut(spec, ":")
	if lex.Mentions(spec, "source= src=") {
		for _, kv := range strings.Split(spec, ",") {
			k, v, _ := strings.Cut(kv, "=")
			switch k {
			case "source", "src":
				host = v
			case "target", "dst", "destination":
				inside = v
			}
		}
	}
	p := sh.Path(host)
	switch {
	case strings.HasSuffix(host, "docker.sock"),
		lex.BeginsWith(host, "/ ~") && slices.Contains([]string{"/", sh.HomeText()}, p):
		sh.Effect(effect.RunElevated, effect.HostRights, p)
	}
	mounted(sh, child, host, inside)
}

// mounted records what a container sees: a folder of this machine, or a volume, unless its name says
// that it is a cache.
func mounted(sh, child *shell.Shell, host, inside string) {
	inside, _, _ = strings.Cut(inside, ":")
	m := shell.Mounted{Inside: fspath.Clean(inside)}
	switch {
	case strings.Trim(inside, "/") == "", host == "":
		return
	case lex.BeginsWith(host, "/ . ~"):
		m.Host = sh.Path(host)
	case lex.ContainsAny(lex.VerbWords(host), "cache caches tmp test"):
		return
	}
	child.Place.Mounts = append(child.Place.Mounts, m)
}

// ClusterRows describe the commands of a cluster's client.
var ClusterRows = []rows.Row{
	{Given: "dry-run", Without: "dry-run=none"},
	{Words: "exec|run|debug", Also: runInCluster},
	{Given: "help"},
	{Words: "config use-context *", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}},
	{Words: "delete", Also: clusterDelete},
	{Words: "cp", Also: reportContainedCopies},
	{Words: "drain|cordon|taint|evict", Does: effect.ChangeRemote, OpOf: rows.Operand(0), To: rows.Operand(1)},
	{Words: "scale", Given: "replicas=0", Does: effect.ChangeRemote, Op: effect.ScaleToZero, To: rows.Operand(1)},
	{Words: "replace", Given: "force", Does: effect.DestroyRemote, Op: effect.Part, To: rows.Text("replace")},
	{
		Words: "apply", Given: "prune force", GoOn: true, Does: effect.DestroyRemote, Op: effect.Part,
		To: rows.Text("apply"),
	},
	{Words: "apply", Also: applyFetched},
	{Words: "rollout undo", Does: effect.ChangeRemote, Op: "rollback", To: rows.Operand(2)},
	{Words: "get secret*", Also: reportClusterSecret},
	{Words: "patch", Mention: "finalizers", Does: effect.ChangeRemote, Op: "finalizers", To: rows.Operand(1)},
	{Words: "adm|admin|certificate", Also: hosted.Report},
	{Words: "create clusterrolebinding|rolebinding", Does: effect.ChangeRemote, Op: effect.Rights, To: rows.Operand(1)},
}

// runInCluster follows a command into a container of the cluster, and reports rights on the host.
func runInCluster(sh *shell.Shell, c shell.Command, o argv.Options) {
	_, object, _ := strings.Cut(strings.Join(c.Args, " "), "{")
	switch {
	case strings.HasPrefix(o.At(1), "node/"), switchedOn(o, "privileged"),
		lex.Mentions(object, "hostPID hostNetwork hostPath privileged"):
		sh.Effect(effect.RunElevated, effect.HostRights, o.At(1))
	}
	child := sh.Sub()
	child.Place = shell.Place{Cwd: "/", Away: "remote"}
	child.Exec(lex.After(c.Args, "--", 1), c.In)
}

// reportContainedCopies reports credentials that are copied into a container of a cluster, and the
// file that a copy out of a container writes.
func reportContainedCopies(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch from, to := o.At(1), o.At(2); {
	case strings.Contains(from, ":") && to != "-":
		sh.Arrives(from, to)
	case strings.Contains(to, ":") && !lex.OneOf(c.Name, containerClients):
		secret.ReportCarried(sh, shell.Command{}, []string{from}, to)
	}
}

// reportClusterSecret reports a secret whose values are printed. A format may show only names,
// types and other parts that are not secret.
func reportClusterSecret(sh *shell.Shell, _ shell.Command, o argv.Options) {
	format, ok := o.Get("o", "output")
	format = strings.TrimPrefix(format, "=")
	if !ok || lex.OneOf(format, "name wide") {
		return
	}
	kind, fields, _ := strings.Cut(strings.ReplaceAll(format, "metadata", ""), "=")
	if lex.OneOf(kind, "custom-columns jsonpath go-template") && !opensData(fields) {
		return
	}
	sh.Effect(effect.RevealSecret, effect.Named("cluster secret"), o.At(2))
}

// opensData reports whether a format may show the data of an object, or the whole object.
func opensData(fields string) bool {
	return lex.Mentions(strings.ToLower(fields), "data {.} {@} {} {$} [*]} {{.}}") || !strings.Contains(fields, ".")
}

// applyFetched reports a manifest that is fetched by URL.
func applyFetched(sh *shell.Shell, _ shell.Command, o argv.Options) {
	if url, _ := o.Get("f", "filename"); strings.HasPrefix(url, "http") {
		sh.Possible(effect.RunUnknown, effect.Manifest, url)
	}
}

// clusterDelete reports how much of a cluster is deleted.
func clusterDelete(sh *shell.Shell, _ shell.Command, o argv.Options) {
	kinds, _, _ := strings.Cut(strings.ToLower(o.At(1)), "/")
	isWhole := func(kind string) bool { return verbs.IsWhole(kind) || lex.OneOf(kind, "sts no all") }
	op := effect.Part
	if o.Given("all A all-namespaces") || slices.ContainsFunc(strings.Split(kinds, ","), isWhole) {
		op = effect.Teardown
	}
	sh.Effect(effect.DestroyRemote, op, strings.Join(o.Pos[1:], " "))
}
