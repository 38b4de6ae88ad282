package guard

import "strings"

func containerRow(name string) row {
	switch name {
	case "docker", "podman", "nerdctl", "finch":
		return container
	case "docker-compose", "podman-compose":
		return func(sh *shell, c command) { sh.compose(c.args, c) }
	case "kubectl", "k", "oc", "microk8s.kubectl", "k3s-kubectl", "kubecolor":
		return kubectl
	case "helm":
		return func(sh *shell, c command) { sh.remoteControl(c) }
	}
	return nil
}

func container(sh *shell, c command) {
	_, rest := leading(c.args, "H c l host context log-level config tlscacert")
	if len(rest) == 0 {
		return
	}
	verb, args := rest[0], rest[1:]
	if containsString(args, "build") && verb == "buildx" || verb == "build" {
		sh.buildPushes(args)
	}
	if oneOf(verb, "container image volume network system builder buildx pod") && len(args) > 0 {
		sh.containerNoun(verb, args[0], args[1:])
		return
	}
	switch verb {
	case "run", "exec", "create":
		sh.containerRun(verb, args, c)
	case "compose":
		sh.compose(args, c)
	case "rm", "rmi":
		sh.containerRemove(verb, args)
	case "push":
		sh.effect(PublishOut, c.name, "image")
	case "manifest", "trust":
		if oneOf(first(args), "push sign") {
			sh.effect(PublishOut, c.name, "image")
		}
	case "kill", "stop", "restart":
		if verb == "kill" || hasHole(strings.Join(args, " ")) {
			sh.effect(StopService, "container", strings.Join(args, " "))
		}
	case "machine":
		if len(args) > 0 && oneOf(args[0], "rm reset") {
			sh.effect(PruneLocal, "machine", "")
		}
	case "swarm", "stack", "service", "node", "secret", "config":
		if len(args) > 0 && oneOf(args[0], "rm remove leave") {
			sh.effect(DestroyRemote, "part", verb+" "+args[0])
		}
	}
	sh.print(unknown)
}

// buildPushes notices a build that publishes what it built.
func (sh *shell) buildPushes(args []string) {
	for _, a := range args {
		if a == "--push" || a == "--push=true" || strings.Contains(a, "type=registry") || strings.Contains(a, "push=true") {
			sh.effect(PublishOut, "docker", "image")
			return
		}
	}
}

func (sh *shell) containerNoun(noun, verb string, args []string) {
	o := parseOptions(args, "f filter")
	switch {
	case noun == "system" && verb == "reset":
		sh.effect(PruneLocal, "volumes", "")
	case noun == "system" && verb == "prune":
		op := "system"
		if o.exact("volumes") {
			op = "volumes"
		}
		sh.effect(PruneLocal, op, "")
	case noun == "volume" && oneOf(verb, "rm remove prune"):
		sh.effect(PruneLocal, "volumes", strings.Join(o.pos, " "))
	case noun == "pod" && oneOf(verb, "rm remove"):
		sh.containerRemove("pod", args)
	case verb == "prune" && (!oneOf(noun, "image builder buildx") || o.exact("a", "all")) && noun != "container":
		sh.effect(PruneLocal, noun, "")
	case noun == "container" && oneOf(verb, "run exec"):
		sh.containerRun(verb, args, command{})
	case noun == "image" && verb == "push":
		sh.effect(PublishOut, "docker", "image")
	case oneOf(noun, "container image") && oneOf(verb, "rm remove"):
		sh.containerRemove(map[bool]string{true: "rm", false: "rmi"}[noun == "container"], args)
	case noun == "network" && oneOf(verb, "rm remove"):
		sh.effect(PruneLocal, "network", strings.Join(o.pos, " "))
	}
}

func (sh *shell) containerRemove(verb string, args []string) {
	o := parseOptions(args, "")
	switch {
	case o.short('v') || o.exact("volumes"):
		sh.effect(PruneLocal, "anonymous volumes", strings.Join(o.pos, " "))
	case o.short('f') || o.exact("force") || hasHole(strings.Join(o.pos, "")):
		sh.effect(PruneLocal, verb, strings.Join(o.pos, " "))
	}
}

// containerRun follows the command into the container. Host directories that
// are mounted keep their place: what is deleted there is deleted here.
func (sh *shell) containerRun(verb string, args []string, c command) {
	o, rest := leading(args, "v e p u w h l a m c volume mount env env-file publish user workdir name network net hostname label entrypoint add-host cap-add cap-drop "+
		"cpus memory gpus platform pull restart security-opt shm-size tmpfs ulimit device dns expose ipc pid userns uts log-driver log-opt volumes-from detach-keys attach cidfile group-add index")
	if len(rest) == 0 {
		return
	}
	if granted(o, "privileged") || strings.HasPrefix(first(o.all("pid")), "host") {
		sh.effect(RunElevated, "container with host rights", "")
	}
	for _, right := range o.all("cap-add") {
		if oneOf(strings.TrimPrefix(strings.ToUpper(right), "CAP_"), "ALL SYS_ADMIN SYS_MODULE SYS_RAWIO SYS_BOOT DAC_READ_SEARCH") {
			sh.effect(RunElevated, "container with host rights", right)
		}
	}
	child := sh.sub()
	child.place = place{cwd: "/", home: "", away: "container"}
	if verb == "exec" {
		child.place.away = "remote"
	}
	if dir, ok := o.get("w", "workdir"); ok {
		child.place.cwd = cleanPath("/" + dir)
	}
	for _, m := range append(o.all("v", "volume"), o.all("mount")...) {
		sh.mount(child, m)
	}
	argv := rest[1:]
	if ep, ok := o.get("entrypoint"); ok {
		argv = append([]string{ep}, argv...)
	}
	child.exec(argv, c.in)
}

// granted is true of a switch that is on.
func granted(o options, name string) bool {
	v, given := o.get(name)
	return o.exact(name) && (!given || v == "true")
}

// mount notices a host directory that holds more than a project.
func (sh *shell) mount(child *shell, spec string) {
	host, inside, _ := strings.Cut(spec, ":")
	if strings.Contains(spec, "source=") || strings.Contains(spec, "src=") {
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
		sh.effect(RunElevated, "container with host rights", host)
	}
	if !strings.HasPrefix(host, "/") && !strings.HasPrefix(host, ".") && !strings.HasPrefix(host, "~") {
		return
	}
	inside, _, _ = strings.Cut(inside, ":")
	p := sh.path(host)
	if p == "/" || p == sh.homeText() {
		sh.effect(RunElevated, "container with host rights", p)
	}
	if strings.Trim(inside, "/") != "" {
		child.place.mounts = append(child.place.mounts, mounted{cleanPath(inside), p})
	}
}

func (sh *shell) compose(args []string, c command) {
	_, rest := leading(args, "f p file project-name profile env-file project-directory")
	if len(rest) == 0 {
		return
	}
	o := parseOptions(rest[1:], "t timeout")
	switch rest[0] {
	case "down", "rm":
		if o.short('v') || o.exact("volumes") {
			sh.effect(PruneLocal, "volumes", "compose")
		} else if v, _ := o.get("rmi"); v == "all" {
			sh.effect(PruneLocal, "image", "compose")
		}
	case "exec", "run":
		sh.containerRun(rest[0], rest[1:], c)
	case "push":
		sh.effect(PublishOut, "compose", "image")
	}
}

func kubectl(sh *shell, c command) {
	o := parseOptions(c.args, commonValues+" grace-period field-selector replicas patch")
	verb := o.at(0)
	if o.exact("help") && !oneOf(verb, "exec run debug") {
		return
	}
	if v, ok := o.get("dry-run"); ok && v != "none" || o.exact("dry-run") && !ok {
		return
	}
	switch verb {
	case "exec", "run", "debug":
		if strings.HasPrefix(o.at(1), "node/") || granted(o, "privileged") || containsAny(tokensOf(c.args), "hostPID hostNetwork hostPath privileged") {
			sh.effect(RunElevated, "container with host rights", o.at(1))
		}
		sh.inCluster(c)
	case "delete":
		sh.clusterDelete(o)
	case "drain", "cordon", "taint", "evict":
		sh.effect(ChangeRemote, verb, o.at(1))
	case "scale":
		if n, _ := o.get("replicas"); n == "0" {
			sh.effect(ChangeRemote, "scale to zero", o.at(1))
		}
	case "replace":
		if o.exact("force") {
			sh.effect(DestroyRemote, "part", "replace")
		}
	case "apply":
		if o.exact("prune", "force") {
			sh.effect(DestroyRemote, "part", "apply")
		}
		if url, ok := o.get("f", "filename"); ok && strings.HasPrefix(url, "http") {
			sh.possible(RunUnknown, "manifest", url)
		}
	case "rollout":
		if oneOf(o.at(1), "undo") {
			sh.effect(ChangeRemote, "rollback", o.at(2))
		}
	case "get":
		if strings.HasPrefix(o.at(1), "secret") && (containsPrefix(c.args, "-ojson") || containsPrefix(c.args, "-oyaml") || o.exact("o", "output")) {
			sh.effect(RevealSecret, "cluster secret", o.at(2))
		}
	case "patch":
		if p, ok := o.get("patch", "p"); ok && strings.Contains(p, "finalizers") {
			sh.effect(ChangeRemote, "finalizers", o.at(1))
		}
	case "adm", "admin", "certificate":
		sh.remoteControl(c)
	case "create":
		if oneOf(o.at(1), "clusterrolebinding rolebinding") {
			sh.effect(ChangeRemote, "rights", o.at(1))
		}
	}
	sh.print(unknown)
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

func (sh *shell) clusterDelete(o options) {
	kind, _, _ := strings.Cut(strings.ToLower(o.at(1)), "/")
	for _, k := range strings.Split(kind, ",") {
		if oneOf(k, wholeNouns) || oneOf(k, "sts no") {
			sh.effect(DestroyRemote, "teardown", strings.Join(o.pos[1:], " "))
			return
		}
	}
	op := "part"
	if o.exact("all", "A", "all-namespaces") || kind == "all" {
		op = "teardown"
	}
	sh.effect(DestroyRemote, op, strings.Join(o.pos[1:], " "))
}

func (sh *shell) inCluster(c command) {
	for i, a := range c.args {
		if a == "--" {
			child := sh.sub()
			child.place = place{cwd: "/", away: "remote"}
			child.exec(c.args[i+1:], c.in)
			return
		}
	}
}
