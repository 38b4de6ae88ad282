package guard

import "strings"

// Programs that steer something elsewhere (clouds, clusters, hosted services)
// share one grammar: groups, a verb, a noun. Their commands are understood by
// the verb; a table of every subcommand of every service would be out of date
// the day it is written.

const destroyVerbs = "delete destroy terminate purge drop wipe nuke flush truncate obliterate forget erase rm remove del rb prune empty uninstall " +
	"teardown expunge deletion unpublish down undeploy decommission cleanup deprovision release-address rmdir unset unset-all remove-all deleteall flushall clean rmi rmp " +
	"unregister deregister recreate annihilate discard trash yank rdelete untag unsubscribe undefine"

const changeVerbs = "disable revoke suspend deactivate stop reset failover rotate drain cordon evict rollback undo promote restart pause roll rename break change seal cancel " +
	"detach clear expire transfer stepdown rekey unlink archive reboot deallocate abort kill force-unlock failback unbind demote reassign redrive compact " +
	"disassociate shutdown hibernate maintenance regenerate invalidate block ban leave resign freeze off unlock overwrite quarantine repair rebalance activate"

const readVerbs = "list ls get describe show view help diff plan validate lint explain search find read cat head tail check verify whoami inspect " +
	"lookup ping dump export download count simulate estimate preview browse watch completion print fetch doctor poll batchget"

// readNouns are verbs in one program and groups with verbs of their own in
// another: only a verb that follows at once still counts.
const readNouns = "version versions status info logs log top history stats tree outputs output events trace test ps docs open metrics query scan"

// wholeNouns are things that hold everything below them or that nothing
// brings back: to destroy one is a teardown.
const wholeNouns = "cluster clusters project projects namespace namespaces ns database databases db instance-group bucket buckets stack stacks group groups app apps " +
	"account accounts organization organizations org subscription vault keyvault backup backups snapshot snapshots volume volumes filesystem table tables zone zones " +
	"hosted repo repository repositories pv pvc persistentvolume persistentvolumes persistentvolumeclaim persistentvolumeclaims crd crds node nodes tenant workspace " +
	"environment environments site sites pool pools kms domain domains registry instance instances machine machines vm vms server servers droplet " +
	"postgres pg d1 disk disks linode linodes droplets cosmosdb aks eks gke flexible-server acr webapp functionapp rds dynamodb spanner bigtable sql schema index indices collection collections topic topics recovery point stateful statefulset warehouse"

// controls is true of the programs that the verb grammar applies to.
func controls(name string) bool {
	return oneOf(strings.TrimSuffix(strings.TrimSuffix(name, ".sh"), ".py"),
		"aws awslocal gcloud gsutil bq az oc helm terraform tofu terragrunt pulumi helmfile cdk cdktf serverless sls sst sam copilot eb eksctl kops "+
			"doctl linode-cli hcloud scw vultr-cli oci ibmcloud aliyun heroku fly flyctl vercel vc now netlify ntl railway render supabase firebase wrangler "+
			"cf gh glab hub circleci jenkins-cli keychain-tool argocd argo flux vault bao consul nomad etcdctl kafka-topics kafka-consumer-groups kafka-configs kafka-acls "+
			"kafka-delete-records kafka-storage rpk kcat rabbitmqctl rabbitmqadmin rabbitmq-plugins nats nsc stripe twilio sentry-cli datadog-ci ldcli auth0 okta restic borg "+
			"velero mc s3cmd s5cmd b2 algolia op doppler infisical chamber packer vagrant rancher minikube kind k3d k3s istioctl linkerd skaffold "+
			"cloudflared planetscale pscale neonctl turso xata atlas mongocli cockroach ccloud confluent aiven avn databricks snow snowsql "+
			"apigee apigeecli akamai fastly aliyun civo exo upctl openstack nova cinder glance swift vcd govc virsh lxc incus multipass limactl colima ctr crictl "+
			"launchctl-remote pagerduty pd newrelic dog grafana-cli grafanactl amtool promtool influx chronograf kapacitor "+
			"braintree paypal sendgrid mailgun postmark ses mailchimp flagsmith unleash split harness spacectl env0 dnscontrol flarectl cfcli "+
			"powerdns pdnsutil gandi lexicon route53 clisso wp drush artisan ddev lando dokku caprover kamal nixops colmena "+
			"traefik haproxyctl nginxctl consul-template boundary waypoint elasticdump es curator opensearch-cli meilisearch typesense redis-cluster "+
			"kubeadm kubeseal kustomize kn tkn tekton crossplane clusterctl rke talosctl portainer swarm docker-machine "+
			"gitlab-runner gitlab-rake bitbucket act buildkite-agent drone woodpecker-cli travis tfe tfc vercel-cli surge now-cli amplify apprunner "+
			"azcopy rclone-rc lakectl dvc wandb mlflow huggingface-cli kaggle comet clearml sky modal runpodctl vastai lambda bench frappe "+
			"duplicity bup kopia deck flipt square splunk kafka-delete-records attic rdiff-backup tarsnap pgbackrest barman wal-g etckeeper")
}

// commonValues are flags with a value that such programs take before or
// between their groups and verbs.
const commonValues = "n namespace context kubeconfig profile region output o p project zone c config l selector endpoint-url query cli-input-json a app r remote " +
	"g resource-group subscription account org organization team t token s server u user f file filename R repo host port scope e env environment site cluster " +
	"command scripts parameters command-id document-name instance-ids desired-count desired-capacity max-size min-size size num-nodes new-capacity node-count replicas C name id bucket format F vault instance location type H header d data k key topic bootstrap-server stack stage chdir var var-file target " +
	"workspace auth-token service subject credential-file address addr as as-group kube-context kube-apiserver cwd cache-dir"

// remoteControl finds the verb among the operands and reports its effect.
func (sh *shell) remoteControl(c command) {
	values := commonValues + " query-string query-statement sql statement statements"
	if c.name == "gsutil" {
		values = "o h u"
	}
	o := parseOptions(c.args, values)
	if o.exact("help", "dry-run", "dryrun", "what-if", "no-execute-changeset") || o.exact("h") && c.name != "heroku" {
		if v, _ := o.get("dry-run"); v != "none" && v != "false" {
			sh.print(unknown)
			return
		}
	}
	sh.remoteSpecial(c, o)
	sh.remoteRuns(o)
	sh.flagVerbs(c, o)
	for _, f := range o.flags {
		if f.given && strings.Contains(f.value, " ") && (strings.Contains(f.name, "query") || strings.Contains(f.name, "sql") || strings.Contains(f.name, "statement")) {
			sh.sql(f.value)
		}
	}
	if hasWord(verbWords(c.name), destroyVerbs) {
		sh.effect(DestroyRemote, "part", strings.Join(o.pos, " "))
	}
	last := 5
	for i, p := range o.pos {
		if i > last || strings.ContainsAny(p, " \n") {
			break
		}
		if i == 0 && oneOf(c.name, "aws awslocal gcloud az") {
			continue
		}
		if i > 1 && oneOf(c.name, "aws awslocal") {
			break // a service, an operation; the rest are values
		}
		if oneOf(p, readNouns) {
			last = min(last, i+1)
			continue
		}
		if sh.remoteVerb(c, o, i, operationWords(p)) {
			return
		}
	}
}

// remoteRuns follows a command that a service is told to run on its machines,
// and a service that is scaled down to nothing.
func (sh *shell) remoteRuns(o options) {
	if containsAny(o.pos, "ssh run-command send-command execute-command exec console") {
		child := sh.sub()
		child.place = remotePlace()
		for _, text := range o.all("command", "C", "scripts", "parameters") {
			texts := []string{}
			for _, t := range tokens(strings.TrimPrefix(text, "commands="), "other") {
				if t.kind == 's' && strings.Contains(text, "commands") {
					texts = append(texts, t.text)
				}
			}
			if len(texts) == 0 {
				texts = []string{strings.TrimPrefix(text, "commands=")}
			}
			for _, t := range texts {
				child.run(t, nil)
			}
		}
	}
	if !containsAny(o.pos, "scale ps:scale resize update-service update update-auto-scaling-group set-desired-capacity") {
		return
	}
	zero := containsString(o.pos, "0")
	for _, p := range o.pos {
		zero = zero || strings.HasSuffix(p, "=0")
	}
	if v, ok := o.get("desired-count", "desired-capacity", "max-size", "size", "num-nodes", "new-capacity", "node-count", "replicas"); zero || ok && v == "0" {
		sh.effect(ChangeRemote, "scale to zero", strings.Join(o.pos, " "))
	}
}

// operationWords are the words of an operation: of "apps:destroy" the part
// after the colon comes first.
func operationWords(p string) []string {
	if group, verb, ok := strings.Cut(p, ":"); ok && !strings.Contains(verb, ":") && !strings.ContainsAny(p, "/=.") && verb != "" {
		return append(verbWords(verb), verbWords(group)...)
	}
	if strings.ContainsAny(p, ":/=.") {
		return nil
	}
	return verbWords(p)
}

// remoteVerb reports the effect if words hold a verb; true ends the search.
func (sh *shell) remoteVerb(c command, o options, i int, words []string) bool {
	if len(words) > 1 && (words[0] == "force" && oneOf(words[1], changeVerbs) || oneOf(words[len(words)-1], "delete destroy purge")) {
		sh.effect(DestroyRemote, "part", strings.Join(o.pos, " "))
		return true
	}
	if len(words) > 1 && oneOf(words[0], "batch force bulk schedule async start") && (oneOf(words[1], destroyVerbs) || words[len(words)-1] == "deletion") {
		sh.effect(DestroyRemote, "teardown", strings.Join(o.pos, " "))
		return true
	}
	if len(words) == 0 {
		return false
	}
	if words[0] == "admin" && len(words) > 1 {
		words = words[1:]
	}
	w := words[0]
	plain := len(words) == 1 || oneOf(c.name, "aws awslocal") || strings.Contains(o.pos[i], ":")
	if w == "activate" && o.pos[0] == "config" || c.name == "artisan" && w == "clear" && hasWord(words, "cache config route view event optimize") {
		return true // of the developer's own machine
	}
	if oneOf(c.name, "minikube colima k3d kind limactl multipass supabase ddev lando") && oneOf(w, "stop pause restart") {
		return true // a cluster or a machine of the developer's own
	}
	switch {
	case w == "clone" && hasWord(words, "env config variables"):
		sh.effect(ChangeRemote, "overwrite", strings.Join(o.pos, " "))
		return true
	case w == "on" && containsString(words, "maintenance"):
		sh.effect(ChangeRemote, "maintenance", strings.Join(o.pos, " "))
		return true
	case oneOf(w, destroyVerbs):
		sh.effect(DestroyRemote, destroyScale(c, o, i, words, w), strings.Join(o.pos, " "))
		return true
	case oneOf(w, changeVerbs) && (plain || !oneOf(w, "failover compact change clear maintenance block off")) || w == "clear" && len(words) == 2:
		sh.effect(ChangeRemote, w, strings.Join(o.pos, " "))
		return true
	case oneOf(w, readVerbs):
		return true
	case oneOf(w, "put attach set add update modify create grant authorize allow") && (touchesRights(o.pos[i]) || i > 0 && hasWord(verbWords(o.pos[i-1]), "assignment permission permissions binding bindings")),
		oneOf(w, "update modify set reset") && setsPassword(o):
		sh.effect(ChangeRemote, "rights", strings.Join(o.pos, " "))
		return true
	}
	return false
}

func touchesRights(p string) bool {
	for _, w := range verbWords(p) {
		if oneOf(w, "policy acl permission permissions access login binding bindings ingress rights secret password") {
			return true
		}
	}
	return false
}

// setsPassword is true if a flag gives a new password.
func setsPassword(o options) bool {
	for _, f := range o.flags {
		if words := verbWords(f.name); len(words) > 0 && words[len(words)-1] == "password" {
			return true
		}
	}
	return false
}

// destroyScale is "teardown" when a whole thing goes, "part" otherwise.
func destroyScale(c command, o options, i int, words []string, verb string) string {
	if oneOf(c.name, "terraform tofu terragrunt pulumi helmfile cdk cdktf serverless sls sst eksctl kops sam kubeadm k3d kind") && oneOf(verb, "destroy delete remove down") && i <= 1 && o.pos[0] != "state" {
		return "teardown"
	}
	if o.pos[0] != "cache" && o.exact("all", "A", "all-namespaces", "force", "recursive", "yes-i-really-mean-it", "delete-all", "all-collections") && !oneOf(verb, "rm remove prune") {
		return "teardown"
	}
	head := words[len(words)-1]
	if strings.Contains(o.pos[i], ":") {
		head = words[min(1, len(words)-1)]
	}
	if oneOf(o.pos[0], "cache state") {
		return "part"
	}
	if i == 0 && len(words) == 1 && oneOf(c.name, "heroku railway vercel vc now surge") || verb == "rb" {
		return "teardown" // the app, or the bucket, itself
	}
	if oneOf(head, wholeNouns) && !hasWord(words, "security log placement parameter option target") {
		return "teardown"
	}
	if i > 0 && oneOf(strings.ToLower(o.pos[i-1]), wholeNouns) && !oneOf(c.name, "aws awslocal") { // there a service stands
		return "teardown"
	}
	if i+1 < len(o.pos) && i == 0 {
		kind, _, _ := strings.Cut(strings.ToLower(o.pos[i+1]), "/")
		if oneOf(kind, wholeNouns) {
			return "teardown"
		}
	}
	return "part"
}

// flagVerbs covers the programs whose verb is a flag.
func (sh *shell) flagVerbs(c command, o options) {
	for _, f := range o.flags {
		name := strings.ToLower(f.name)
		switch {
		case oneOf(name, "delete purge destroy remove delete-all flush-all drop rm remove-all prune purge-cache wipe force-delete drop-table delete-unmatched-destination-files delete-unmatched-destination-objects delete-destination delete-removed") && f.value != "false":
			sh.effect(DestroyRemote, "part", f.name)
		case name == "execute" && !strings.HasPrefix(c.name, "kafka"):
		case oneOf(name, "reset-offsets prod force-recreate delete-config execute force-unlock leave"):
			if name == "prod" {
				sh.effect(PublishOut, c.name, "production")
				return
			}
			sh.effect(ChangeRemote, name, f.name)
		}
	}
}

// remoteSpecial holds the few verbs that mean something else in one program.
func (sh *shell) remoteSpecial(c command, o options) {
	verb, sub := o.at(0), o.at(1)
	if oneOf(verb, "deploy publish") && forProduction(o) {
		sh.effect(PublishOut, c.name, "production")
	}
	switch c.name {
	case "supabase":
		if verb == "db" && sub == "push" || o.exact("linked", "db-url") && oneOf(sub, "up down repair") {
			sh.effect(ChangeRemote, "apply", "database of the project")
		}
		if verb == "stop" && o.exact("no-backup") {
			sh.effect(PruneLocal, "volumes", "supabase")
		}
	case "cdk", "cdktf":
		if verb == "deploy" {
			sh.effect(ChangeRemote, "apply", "infrastructure")
		}
	case "terraform", "tofu", "terragrunt", "pulumi":
		sh.infrastructure(c, o)
	case "gh", "glab":
		sh.forge(c, o)
	case "aws", "awslocal":
		if verb == "s3" && oneOf(sub, "cp mv sync") && len(o.pos) > 3 {
			sh.cloudCopy(c, o.pos[2], o.pos[3])
		}
		if verb == "s3" && sub == "mv" && strings.Contains(o.at(2), "://") {
			sh.effect(ChangeRemote, "move", o.at(2))
		}
		if verb == "s3" && sub == "sync" && o.exact("delete") {
			sh.effect(DeleteCopies, "", o.at(3))
		}
	case "gsutil", "azcopy":
		if verb == "mv" && strings.Contains(sub, "://") {
			sh.effect(ChangeRemote, "move", sub)
		}
		if verb == "rsync" && o.exact("d") || verb == "sync" && o.exact("delete-destination") {
			sh.effect(DeleteCopies, "", strings.Join(o.pos[1:], " "))
		}
	case "kubeadm", "talosctl":
		if verb == "reset" {
			sh.effect(DestroyRemote, "teardown", "cluster node")
		}
	case "vault", "bao":
		if verb == "secrets" && sub == "disable" {
			sh.effect(DestroyRemote, "teardown", "every secret below "+o.at(2))
		}
		if verb == "operator" && oneOf(sub, "seal rekey init step-down generate-root rotate") {
			sh.effect(ChangeRemote, sub, verb)
		}
		if verb == "token" && sub == "revoke" || verb == "lease" && sub == "revoke" {
			sh.effect(ChangeRemote, "revoke", verb)
		}
	case "firebase", "vercel", "netlify", "wrangler", "fly", "flyctl", "railway", "now", "vc", "surge":
		if verb == "deploy" && oneOf(c.name, "firebase surge") {
			sh.effect(PublishOut, c.name, "production")
		}
	case "deck":
		if verb == "sync" || verb == "gateway" && sub == "sync" {
			sh.effect(ChangeRemote, "sync", "gateway")
		}
	case "etcdctl":
		if verb == "del" && o.exact("prefix", "from-key") && strings.Trim(sub, "/") == "" {
			sh.effect(DestroyRemote, "teardown", "every key")
		}
	case "helm":
		if oneOf(verb, "push cm-push") {
			sh.effect(PublishOut, c.name, "registry")
		}
		if verb == "upgrade" && o.exact("force") {
			sh.effect(ChangeRemote, "force", o.at(1))
		}
	case "restic", "borg", "kopia":
		if oneOf(verb, "forget prune delete recreate") {
			sh.effect(DestroyRemote, "teardown", "backup "+verb)
		}
	}
}

// forProduction is true if the flags say that the place is the one that others
// use.
func forProduction(o options) bool {
	if o.exact("prod", "production") {
		return true
	}
	for _, place := range o.all("e", "env", "environment", "s", "stage", "stack", "target") {
		if oneOf(strings.ToLower(place), "prod production live prd") {
			return true
		}
	}
	return false
}

func (sh *shell) infrastructure(c command, o options) {
	verb := o.at(0)
	switch {
	case c.name == "terragrunt" && verb == "run-all":
		verb = o.at(1)
	case verb == "state" && oneOf(o.at(1), "rm mv push replace-provider"):
		sh.effect(ChangeRemote, "state", o.at(1))
	}
	switch verb {
	case "apply", "up":
		if o.exact("destroy") || containsPrefix(c.args, "-destroy") {
			sh.effect(DestroyRemote, "teardown", verb)
			return
		}
		sh.effect(ChangeRemote, "apply", "infrastructure")
	case "taint", "untaint", "import", "force-unlock":
		sh.effect(ChangeRemote, verb, "state")
	case "workspace":
		if o.at(1) == "delete" {
			sh.effect(DestroyRemote, "teardown", "workspace")
		}
	}
}

func (sh *shell) forge(c command, o options) {
	verb, sub := o.at(0), o.at(1)
	if oneOf(sub, "create upload comment edit note") {
		sh.carries(c, o.pos[min(2, len(o.pos)):], c.name)
		sh.keysLeave(c.args, c.name)
	}
	switch {
	case verb == "api":
		sh.forgeAPI(c)
	case verb == "repo" && sub == "sync" && o.exact("force"):
		branch, _ := parseOptions(c.args, "b branch s source").get("b", "branch")
		sh.effect(PushForce, "force", branch)
	case verb == "repo" && sub == "edit" && containsPrefix(c.args, "--visibility"):
		sh.effect(PublishOut, c.name, "repository visibility")
	case verb == "release" && oneOf(sub, "create upload"):
		sh.effect(PublishOut, c.name, "release")
	case verb == "pr" && sub == "merge", verb == "mr" && sub == "merge", verb == "pr" && sub == "close", verb == "issue" && oneOf(sub, "close transfer lock"), verb == "workflow" && oneOf(sub, "run disable"), verb == "mr" && sub == "close", verb == "repo" && oneOf(sub, "archive rename"):
		sh.effect(ChangeRemote, sub, verb)
	case oneOf(verb, "ssh-key gpg-key deploy-key") && sub == "add", verb == "repo" && sub == "deploy-key" && o.at(2) == "add":
		sh.effect(ChangeRemote, "rights", "a key of the account")
	case verb == "gist" && sub == "create":
		sh.effect(SendOut, "gist", "")
	}
}

func containsPrefix(list []string, prefix string) bool {
	for _, s := range list {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}

func (sh *shell) forgeAPI(c command) {
	o := parseOptions(c.args, "X method H header f F field raw-field input q jq t template hostname p preview cache")
	method, _ := o.get("X", "method")
	path := strings.Trim(o.at(1), "/")
	if strings.EqualFold(method, "delete") {
		op := "part"
		if strings.Count(path, "/") <= 2 && strings.HasPrefix(path, "repos/") {
			op = "teardown"
		}
		sh.effect(DestroyRemote, op, path)
	} else if _, branch, ok := strings.Cut(path, "/git/refs/heads/"); ok && containsAny(append(o.all("F", "field"), o.all("f", "raw-field")...), "force=true") {
		sh.effect(PushForce, "force", branch)
	} else if method != "" && !strings.EqualFold(method, "get") && hasWord(verbWords(path), "protection collaborators hooks keys rulesets transfer merge secrets permissions visibility") {
		sh.effect(ChangeRemote, strings.ToLower(method), path)
	}
	if method != "" && (containsPrefix(o.all("f", "F", "field", "raw-field"), "visibility=") || containsPrefix(o.all("f", "F", "field", "raw-field"), "private=false")) {
		sh.effect(PublishOut, c.name, "repository visibility")
	}
	for _, q := range append(o.all("f", "F", "field", "raw-field"), path) {
		if strings.Contains(q, "mutation") && strings.Contains(q, "delete") {
			sh.effect(DestroyRemote, "part", "graphql")
		}
	}
}

// cloudCopy reports what a copy to a bucket takes out.
func (sh *shell) cloudCopy(c command, from, to string) {
	if strings.Contains(to, "://") && !strings.Contains(from, "://") {
		sh.carries(command{in: c.in}, []string{from}, to)
	}
}
