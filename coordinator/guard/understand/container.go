package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// containerPrograms are the programs of this file, with what each does.
var containerPrograms = []named{
	{names: "docker podman nerdctl finch", do: container},
	{names: "docker-compose podman-compose", do: func(sh *shell.Shell, c shell.Command) { compose(sh, c.Args, c) }},
	{names: "kubectl k oc microk8s.kubectl k3s-kubectl kubecolor", do: kubectl},
	{names: "helm", do: func(sh *shell.Shell, c shell.Command) { remoteControl(sh, c) }},
}

func container(sh *shell.Shell, c shell.Command) {
	_, rest := shell.Leading(c.Args, "H c l host context log-level config tlscacert")
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0], rest[1:]
	if slices.Contains(args, "build") && verb == "buildx" || verb == "build" {
		buildPushes(sh, args)
	}
	if lex.OneOf(verb, "container image volume network system builder buildx pod") && len(args) > 0 {
		containerNoun(sh, verb, args[0], args[1:])
		return
	}
	switch verb {
	case "run", "exec", "create":
		containerRun(sh, verb, args, c)
	case "compose":
		compose(sh, args, c)
	case "rm", "rmi":
		containerRemove(sh, verb, args)
	case "push":
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "image")
	case "manifest", "trust":
		if lex.OneOf(lex.First(args), "push sign") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "image")
		}
	case "kill", "stop", "restart":
		if verb == "kill" || partial.HasHole(strings.Join(args, " ")) {
			sh.Effect(effect.StopService, effect.Container, strings.Join(args, " "))
		}
	case "machine":
		if len(args) > 0 && lex.OneOf(args[0], "rm reset") {
			sh.Effect(effect.PruneLocal, effect.Machine, "")
		}
	case "swarm", "stack", "service", "node", "secret", "config":
		if len(args) > 0 && lex.OneOf(args[0], "rm remove leave") {
			sh.Effect(effect.DestroyRemote, effect.Part, verb+" "+args[0])
		}
	}
	sh.Print(partial.Unknown)
}

// buildPushes notices a build that publishes what it built.
func buildPushes(sh *shell.Shell, args []string) {
	for _, a := range args {
		if lex.OneOf(a, "--push --push=true") || lex.Mentions(a, "type=registry push=true") {
			sh.Effect(effect.PublishOut, effect.Docker, "image")
			return
		}
	}
}

func containerNoun(sh *shell.Shell, noun, verb string, args []string) {
	o := shell.ParseOptions(args, "f filter")
	switch {
	case noun == "system" && verb == "reset":
		sh.Effect(effect.PruneLocal, effect.Volumes, "")
	case noun == "system" && verb == "prune":
		op := effect.System
		if o.Exact("volumes") {
			op = effect.Volumes
		}
		sh.Effect(effect.PruneLocal, op, "")
	case noun == "volume" && lex.OneOf(verb, "rm remove prune"):
		sh.Effect(effect.PruneLocal, effect.Volumes, strings.Join(o.Pos, " "))
	case noun == "pod" && lex.OneOf(verb, "rm remove"):
		containerRemove(sh, "pod", args)
	case verb == "prune" && (!lex.OneOf(noun, "image builder buildx") || o.Exact("a", "all")) && noun != "container":
		sh.Effect(effect.PruneLocal, effect.Named(noun), "")
	case noun == "container" && lex.OneOf(verb, "run exec"):
		containerRun(sh, verb, args, shell.Command{})
	case noun == "image" && verb == "push":
		sh.Effect(effect.PublishOut, effect.Docker, "image")
	case lex.OneOf(noun, "container image") && lex.OneOf(verb, "rm remove"):
		containerRemove(sh, map[bool]string{true: "rm", false: "rmi"}[noun == "container"], args)
	case noun == "network" && lex.OneOf(verb, "rm remove"):
		sh.Effect(effect.PruneLocal, effect.Network, strings.Join(o.Pos, " "))
	}
}

func containerRemove(sh *shell.Shell, verb string, args []string) {
	o := shell.ParseOptions(args, "")
	switch {
	case o.Exact("v", "volumes"):
		sh.Effect(effect.PruneLocal, effect.AnonymousVolumes, strings.Join(o.Pos, " "))
	case o.Exact("f", "force") || partial.HasHole(strings.Join(o.Pos, "")):
		sh.Effect(effect.PruneLocal, effect.Named(verb), strings.Join(o.Pos, " "))
	}
}

// containerRun follows the command into the container. Host directories that
// are mounted keep their place: what is deleted there is deleted here.
func containerRun(sh *shell.Shell, verb string, args []string, c shell.Command) {
	o, rest := shell.Leading(args, "v e p u w h l a m c volume mount env env-file publish user workdir name network net hostname label entrypoint add-host cap-add cap-drop "+
		"cpus memory gpus platform pull restart security-opt shm-size tmpfs ulimit device dns expose ipc pid userns uts log-driver log-opt volumes-from detach-keys attach cidfile group-add index")
	if len(rest) == 0 {
		return
	}
	if granted(o, "privileged") || strings.HasPrefix(lex.First(o.All("pid")), "host") {
		sh.Effect(effect.RunElevated, effect.HostRights, "")
	}
	for _, right := range o.All("cap-add") {
		if lex.OneOf(strings.TrimPrefix(strings.ToUpper(right), "CAP_"), "ALL SYS_ADMIN SYS_MODULE SYS_RAWIO SYS_BOOT DAC_READ_SEARCH") {
			sh.Effect(effect.RunElevated, effect.HostRights, right)
		}
	}
	child := sh.Sub()
	child.Place = shell.Place{Cwd: "/", Home: "", Away: "container"}
	if verb == "exec" {
		child.Place.Away = "remote"
	}
	if dir, ok := o.Get("w", "workdir"); ok {
		child.Place.Cwd = fspath.Clean("/" + dir)
	}
	for _, m := range append(o.All("v", "volume"), o.All("mount")...) {
		mount(sh, child, m)
	}
	argv := rest[1:]
	if ep, ok := o.Get("entrypoint"); ok {
		argv = append([]string{ep}, argv...)
	}
	child.Exec(argv, c.In)
}

// granted is true of a switch that is on.
func granted(o shell.Options, name string) bool {
	v, given := o.Get(name)
	return o.Exact(name) && (!given || v == "true")
}

// mount notices a host directory that holds more than a project.
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
	if strings.HasSuffix(host, "docker.sock") {
		sh.Effect(effect.RunElevated, effect.HostRights, host)
	}
	if !lex.BeginsWith(host, "/ . ~") {
		return
	}
	inside, _, _ = strings.Cut(inside, ":")
	p := sh.Path(host)
	if p == "/" || p == sh.HomeText() {
		sh.Effect(effect.RunElevated, effect.HostRights, p)
	}
	if strings.Trim(inside, "/") != "" {
		child.Place.Mounts = append(child.Place.Mounts, shell.Mounted{Inside: fspath.Clean(inside), Host: p})
	}
}

func compose(sh *shell.Shell, args []string, c shell.Command) {
	_, rest := shell.Leading(args, "f p file project-name profile env-file project-directory")
	if len(rest) == 0 {
		return
	}
	o := shell.ParseOptions(rest[1:], "t timeout")
	switch rest[0] {
	case "down", "rm":
		if o.Exact("v", "volumes") {
			sh.Effect(effect.PruneLocal, effect.Volumes, "compose")
		} else if v, _ := o.Get("rmi"); v == "all" {
			sh.Effect(effect.PruneLocal, effect.Image, "compose")
		}
	case "exec", "run":
		containerRun(sh, rest[0], rest[1:], c)
	case "push":
		sh.Effect(effect.PublishOut, effect.Compose, "image")
	}
}

func kubectl(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, commonValues+" grace-period field-selector replicas patch")
	verb := o.At(0)
	if o.Exact("help") && !lex.OneOf(verb, "exec run debug") {
		return
	}
	if v, ok := o.Get("dry-run"); ok && v != "none" || o.Exact("dry-run") && !ok {
		return
	}
	switch verb {
	case "exec", "run", "debug":
		if strings.HasPrefix(o.At(1), "node/") || granted(o, "privileged") || lex.ContainsAny(tokensOf(c.Args), "hostPID hostNetwork hostPath privileged") {
			sh.Effect(effect.RunElevated, effect.HostRights, o.At(1))
		}
		inCluster(sh, c)
	case "delete":
		clusterDelete(sh, o)
	case "drain", "cordon", "taint", "evict":
		sh.Effect(effect.ChangeRemote, effect.Named(verb), o.At(1))
	case "scale":
		if n, _ := o.Get("replicas"); n == "0" {
			sh.Effect(effect.ChangeRemote, effect.ScaleToZero, o.At(1))
		}
	case "replace":
		if o.Exact("force") {
			sh.Effect(effect.DestroyRemote, effect.Part, "replace")
		}
	case "apply":
		if o.Exact("prune", "force") {
			sh.Effect(effect.DestroyRemote, effect.Part, "apply")
		}
		if url, ok := o.Get("f", "filename"); ok && strings.HasPrefix(url, "http") {
			sh.Possible(effect.RunUnknown, effect.Manifest, url)
		}
	case "rollout":
		if lex.OneOf(o.At(1), "undo") {
			sh.Effect(effect.ChangeRemote, effect.Rollback, o.At(2))
		}
	case "get":
		if strings.HasPrefix(o.At(1), "secret") && (lex.ContainsPrefix(c.Args, "-ojson") || lex.ContainsPrefix(c.Args, "-oyaml") || o.Exact("o", "output")) {
			sh.Effect(effect.RevealSecret, effect.ClusterSecret, o.At(2))
		}
	case "patch":
		if p, ok := o.Get("patch", "p"); ok && strings.Contains(p, "finalizers") {
			sh.Effect(effect.ChangeRemote, effect.Finalizers, o.At(1))
		}
	case "adm", "admin", "certificate":
		remoteControl(sh, c)
	case "create":
		if lex.OneOf(o.At(1), "clusterrolebinding rolebinding") {
			sh.Effect(effect.ChangeRemote, effect.Rights, o.At(1))
		}
	}
	sh.Print(partial.Unknown)
}

// tokensOf are the names in the JSON that stands in arguments.
func tokensOf(args []string) (names []string) {
	for _, a := range args {
		if _, spec, ok := strings.Cut(a, "{"); ok {
			names = append(names, strings.FieldsFunc(spec, func(r rune) bool { return strings.ContainsRune(`{}[]:," `, r) })...)
		}
	}
	return names
}

func clusterDelete(sh *shell.Shell, o shell.Options) {
	kind, _, _ := strings.Cut(strings.ToLower(o.At(1)), "/")
	for _, k := range strings.Split(kind, ",") {
		if lex.OneOf(k, web.WholeNouns) || lex.OneOf(k, "sts no") {
			sh.Effect(effect.DestroyRemote, effect.Teardown, strings.Join(o.Pos[1:], " "))
			return
		}
	}
	op := effect.Part
	if o.Exact("all", "A", "all-namespaces") || kind == "all" {
		op = effect.Teardown
	}
	sh.Effect(effect.DestroyRemote, op, strings.Join(o.Pos[1:], " "))
}

func inCluster(sh *shell.Shell, c shell.Command) {
	for i, a := range c.Args {
		if a == "--" {
			child := sh.Sub()
			child.Place = shell.Place{Cwd: "/", Away: "remote"}
			child.Exec(c.Args[i+1:], c.In)
			return
		}
	}
}
