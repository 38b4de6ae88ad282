package understand

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
)

// containerClients are the clients that start containers on a machine.
const containerClients = "docker podman nerdctl finch"

// containerPrograms are the programs of this file, with what each does.
var containerPrograms = []table{
	{programs: containerClients, options: "H c l host context log-level config tlscacert", leads: true, do: container},
	{programs: "docker-compose podman-compose", do: runsCompose},
	{
		programs: "kubectl k oc microk8s.kubectl k3s-kubectl kubecolor",
		options:  clusterOptions, rows: clusterRows, do: printUnknown,
	},
	{programs: "kubectx", rows: []row{{words: "*", sets: &assignment{name: kubeContext, to: lastOperand}}}},
	{programs: "helm", do: controlsHosted},
}

const clusterOptions = commonValues + " v grace-period field-selector replicas patch"

// container reports the effects of a container client. Options before the verb
// belong to the client, and options after it belong to the verb.
func container(sh *shell.Shell, c shell.Command, o shell.Options) {
	rest := o.Pos
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0], rest[1:]
	switch {
	case verb == "build", verb == "buildx" && slices.Contains(args, "build"):
		buildsImage(sh, c, args)
	}
	rows, inner, words := containerVerbs, shell.Command{Name: c.Name, Args: args, In: c.In}, shell.Options{Pos: rest}
	switch {
	case lex.OneOf(verb, "container image volume network system builder buildx pod") && len(args) > 0:
		rows, inner.Args, words = containerNouns, args[1:], shell.ParseOptions(args[1:], "f filter")
		words.Pos = append([]string{verb, args[0]}, words.Pos...)
	case onOtherHost(sh, o):
		runRows(sh, otherHostRows, rest, inner, words)
	}
	runRows(sh, rows, words.Pos, inner, words)
	sh.Print(listed(words.Pos, args))
}

// buildsImage reports an image that is published when it is built, and code that it takes.
func buildsImage(sh *shell.Shell, c shell.Command, args []string) {
	if slices.Contains(args, "--push") || lex.Mentions(strings.Join(args, " "), "type=registry push=true") {
		sh.Effect(effect.PublishOut, effect.Docker, "image")
	}
	takesCode(sh, args[max(0, len(args)-1):])
	for _, text := range stdin(c) {
		sh.Opaque(text)
	}
}

// makesNetwork remembers a network that this call makes.
func makesNetwork(sh *shell.Shell, _ shell.Command, o shell.Options) {
	sh.Makes("network", o.At(len(o.Pos)-1))
}

// listed returns what a list of containers or images shows. A filter by name, by image or by label
// says which ones are meant. Those that ended or have no name are not in use.
func listed(words, args []string) string {
	if !lex.ContainsAny(words[:min(2, len(words))], "ps ls list images") {
		return partial.Unknown
	}
	for _, filter := range shell.ParseOptions(args, "f filter n last format").All("f", "filter") {
		if lex.BeginsWith(filter, meantFilters) && !partial.HasHole(filter) && !strings.HasSuffix(filter, "=") {
			return filter
		}
	}
	return partial.Unknown
}

const meantFilters = "name= ancestor= label= status=exited status=created status=dead dangling=true publish= reference="

// containerNouns describe commands of a noun and a verb, such as "volume rm".
var containerNouns = []row{
	{words: "system reset", does: effect.PruneLocal, op: effect.Volumes},
	{words: "system prune", does: effect.PruneLocal, op: "system"},
	{words: "volume rm|remove|prune", does: effect.PruneLocal, op: effect.Volumes, to: operandsFrom(2)},
	{words: "pod|container|image rm|remove", also: removesContainers},
	{words: "image|builder|buildx prune", without: "a all"},
	{words: "network|pod|image|builder|buildx prune", does: effect.PruneLocal, opOf: operand(0)},
	{words: "container run|exec", also: runsContainer},
	{words: "container inspect", also: showsSettings},
	{words: "image push", does: effect.PublishOut, op: effect.Docker, to: text("image")},
	{words: "network create *", also: makesNetwork},
	{
		words: "network rm|remove", made: &made{kind: "network", names: operandsFrom(2)}, does: effect.PruneLocal,
		op: effect.Network, to: operandsFrom(2),
	},
}

// containerVerbs describe the commands without a noun.
var containerVerbs = []row{
	{words: "run|exec|create", also: runsContainer},
	{words: "compose", also: runsCompose},
	{words: "rm|rmi", also: removesContainers},
	{words: "inspect", also: showsSettings},
	{words: "cp", also: copiesContained},
	{words: "unshare", runs: &start{words: operandsFrom(1)}},
	{words: "push", does: effect.PublishOut, opOf: programName, to: text("image")},
	{words: "manifest|trust push|sign", does: effect.PublishOut, opOf: programName, to: text("image")},
	{words: "kill", does: effect.StopService, op: effect.Container, to: operandsFrom(1)},
	{words: "stop|restart", mention: unknownNames, does: effect.StopService, op: effect.Container, to: arguments},
	{words: "context use *", sets: &assignment{name: hostContext, to: operand(2)}},
	{words: "machine rm|reset", does: effect.PruneLocal, op: "machine"},
	{
		words: "swarm|stack|service|node|secret|config rm|remove|leave",
		does:  effect.DestroyRemote, op: effect.Part, to: joined{operand(0), operand(1)},
	},
}

// otherHostRows describe what stops or removes containers that others use: those of another host.
var otherHostRows = []row{
	{words: "rm|rmi|stop|kill|restart|pause|update", does: effect.ChangeRemote, opOf: operand(0), to: arguments},
	{
		words: "compose", among: "down rm stop kill restart pause", does: effect.ChangeRemote, op: "compose",
		to: arguments,
	},
}

// hostContext is where the host is remembered that a command of this call chooses.
const hostContext = "docker-context"

// onOtherHost reports whether a client of containers talks to another machine.
func onOtherHost(sh *shell.Shell, o shell.Options) bool {
	told := o.All("H", "host", "c", "context")
	for _, name := range [...]string{"DOCKER_HOST", "DOCKER_CONTEXT", hostContext} {
		if value, ok := sh.Lookup(name); ok && len(told) == 0 {
			told = value
		}
	}
	return slices.ContainsFunc(told, func(place string) bool {
		return !lex.BeginsWith(place, "unix: npipe: fd: default desktop- rootless podman-machine") && isElsewhere(place)
	})
}

// runsContainer follows the command into the container.
func runsContainer(sh *shell.Shell, c shell.Command, o shell.Options) {
	verb := o.At(0)
	if verb == "container" {
		verb = o.At(1)
	}
	containerRun(sh, verb, c)
}

// showsSettings prints the settings of a container that a format names. Its variables may hold keys.
func showsSettings(sh *shell.Shell, c shell.Command, _ shell.Options) {
	switch format := strings.Join(c.Args, " "); {
	case !strings.Contains(format, "{{"):
	case strings.Contains(format, ".Env"):
		reportRevealed(sh, partial.UnknownKey)
	default:
		sh.Print(partial.Unknown)
		return
	}
	sh.Print(partial.UnknownKey)
}

// unknownNames are what names hold that are not known.
const unknownNames = partial.Unknown + " " + partial.UnknownNetwork + " " + partial.UnknownDecoded + " " +
	partial.UnknownBenign + " " + partial.UnknownSecret + " " + partial.UnknownKey

// removesContainers reports containers that are removed with their volumes or by unknown names, and
// images that are removed by force. A container that is named is made again from its image.
func removesContainers(sh *shell.Shell, c shell.Command, words shell.Options) {
	o := shell.ParseOptions(c.Args, "")
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
	o, rest := shell.Leading(c.Args, containerValues)
	if len(rest) == 0 {
		return
	}
	reportsRights(sh, o)
	child := containerShell(sh, verb, o, rest[0])
	for _, m := range append(o.All("v", "volume"), o.All("mount")...) {
		mount(sh, child, m)
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

// reportsRights reports options that give a container rights on its host.
func reportsRights(sh *shell.Shell, o shell.Options) {
	if switchedOn(o, "privileged") || strings.HasPrefix(lex.First(o.All("pid")), "host") {
		sh.Effect(effect.RunElevated, effect.HostRights, "")
	}
	for _, right := range o.All("cap-add") {
		if lex.OneOf(strings.TrimPrefix(strings.ToUpper(right), "CAP_"), "ALL SYS_ADMIN SYS_MODULE SYS_RAWIO "+
			"SYS_BOOT DAC_READ_SEARCH") {
			sh.Effect(effect.RunElevated, effect.HostRights, right)
		}
	}
}

// containerShell returns a shell in a container.
func containerShell(sh *shell.Shell, verb string, o shell.Options, name string) *shell.Shell {
	child := sh.Sub()
	child.Place = shell.Place{Cwd: "/", Home: "", Away: "container", Mounts: slices.Clip(sh.Place.Mounts)}
	switch {
	case verb != "exec":
		makesServer(sh, o)
	case !sh.Made("container", name):
		child.Place.Away = effect.InRunning
	}
	if dir, ok := o.Get("w", "workdir"); ok {
		child.Place.Cwd = fspath.Clean("/" + dir)
	}
	return child
}

// makesServer remembers the name of a container that this call makes, and its ports on this machine.
func makesServer(sh *shell.Shell, o shell.Options) {
	name, _ := o.Get("name")
	sh.Makes("container", name)
	for _, ports := range o.All("p", "publish") {
		if parts := strings.Split(ports, ":"); len(parts) > 1 {
			makesPort(sh, parts[len(parts)-2])
		}
	}
}

// selfStarting are the images whose container starts the program that the image is named after, and
// takes only its arguments.
const selfStarting = "git terraform opentofu terragrunt kubectl helm aws rclone restic ansible-playbook"

// imageName returns the name of an image without its registry, its tag and "-cli".
func imageName(image string) string {
	name, _, _ := strings.Cut(fspath.Base(image), ":")
	name, _, _ = strings.Cut(name, "@")
	return strings.TrimSuffix(name, "-cli")
}

// switchedOn reports whether a switch is on.
func switchedOn(o shell.Options, name string) bool {
	v, given := o.Get(name)
	return o.Given(name) && (!given || v == "true")
}

// mount records a mounted host directory, and reports one that gives host rights.
func mount(sh *shell.Shell, child *shell.Shell, spec string) {
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

// clusterRows describe the commands of a cluster's client.
var clusterRows = []row{
	{given: "dry-run", without: "dry-run=none"},
	{words: "exec|run|debug", also: runsInCluster},
	{given: "help"},
	{words: "config use-context *", sets: &assignment{name: kubeContext, to: lastOperand}},
	{words: "delete", also: clusterDelete},
	{words: "cp", also: copiesContained},
	{words: "drain|cordon|taint|evict", does: effect.ChangeRemote, opOf: operand(0), to: operand(1)},
	{words: "scale", given: "replicas=0", does: effect.ChangeRemote, op: effect.ScaleToZero, to: operand(1)},
	{words: "replace", given: "force", does: effect.DestroyRemote, op: effect.Part, to: text("replace")},
	{words: "apply", given: "prune force", goOn: true, does: effect.DestroyRemote, op: effect.Part, to: text("apply")},
	{words: "apply", also: appliesFetched},
	{words: "rollout undo", does: effect.ChangeRemote, op: "rollback", to: operand(2)},
	{words: "get secret*", also: showsClusterSecret},
	{words: "patch", mention: "finalizers", does: effect.ChangeRemote, op: "finalizers", to: operand(1)},
	{words: "adm|admin|certificate", also: controlsHosted},
	{words: "create clusterrolebinding|rolebinding", does: effect.ChangeRemote, op: effect.Rights, to: operand(1)},
}

// runsInCluster follows a command into a container of the cluster, and reports rights on the host.
func runsInCluster(sh *shell.Shell, c shell.Command, o shell.Options) {
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

// copiesContained reports credentials that are copied into a container of a cluster, and the
// file that a copy out of a container writes.
func copiesContained(sh *shell.Shell, c shell.Command, o shell.Options) {
	switch from, to := o.At(1), o.At(2); {
	case strings.Contains(from, ":") && to != "-":
		sh.Arrives(from, to)
	case strings.Contains(to, ":") && !lex.OneOf(c.Name, containerClients):
		Carries(sh, shell.Command{}, []string{from}, to)
	}
}

// showsClusterSecret reports a secret whose values are printed. A format may show only names,
// types and other parts that are not secret.
func showsClusterSecret(sh *shell.Shell, _ shell.Command, o shell.Options) {
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

// appliesFetched reports a manifest that is fetched by URL.
func appliesFetched(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if url, _ := o.Get("f", "filename"); strings.HasPrefix(url, "http") {
		sh.Possible(effect.RunUnknown, effect.Manifest, url)
	}
}

// clusterDelete reports how much of a cluster is deleted.
func clusterDelete(sh *shell.Shell, _ shell.Command, o shell.Options) {
	kinds, _, _ := strings.Cut(strings.ToLower(o.At(1)), "/")
	isWhole := func(kind string) bool { return verbs.IsWhole(kind) || lex.OneOf(kind, "sts no all") }
	op := effect.Part
	if o.Given("all A all-namespaces") || slices.ContainsFunc(strings.Split(kinds, ","), isWhole) {
		op = effect.Teardown
	}
	sh.Effect(effect.DestroyRemote, op, strings.Join(o.Pos[1:], " "))
}
