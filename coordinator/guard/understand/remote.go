package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// Programs that steer something elsewhere (clouds, clusters, hosted services)
// share one grammar: groups, a verb, a noun. Their commands are understood by
// the verb; a table of every subcommand of every service would be out of date
// the day it is written.

const changeVerbs = "disable revoke suspend deactivate stop reset failover rotate drain cordon evict rollback undo promote restart pause roll rename break change seal cancel " +
	"detach clear expire transfer stepdown rekey unlink archive reboot deallocate abort kill force-unlock failback unbind demote reassign redrive compact " +
	"disassociate shutdown hibernate maintenance regenerate invalidate block ban leave resign freeze off unlock overwrite quarantine repair rebalance activate"

const readVerbs = "list ls get describe show view help diff plan validate lint explain search find read cat head tail check verify whoami inspect " +
	"lookup ping dump export download count simulate estimate preview browse watch completion print fetch doctor poll batchget"

// readNouns are verbs in one program and groups with verbs of their own in
// another: only a verb that follows at once still counts.
const readNouns = "version versions status info logs log top history stats tree outputs output events trace test ps docs open metrics query scan"

// controls is true of the programs that the verb grammar applies to.
func controls(name string) bool {
	return lex.OneOf(strings.TrimSuffix(strings.TrimSuffix(name, ".sh"), ".py"),
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
func remoteControl(sh *shell.Shell, c shell.Command) {
	values := commonValues + " query-string query-statement sql statement statements"
	if c.Name == "gsutil" {
		values = "o h u"
	}
	o := shell.ParseOptions(c.Args, values)
	if o.Exact("help", "dry-run", "dryrun", "what-if", "no-execute-changeset") || o.Exact("h") && c.Name != "heroku" {
		if v, _ := o.Get("dry-run"); !lex.OneOf(v, "none false") {
			sh.Print(partial.Unknown)
			return
		}
	}
	remoteSpecial(sh, c, o)
	remoteRuns(sh, o)
	flagVerbs(sh, c, o)
	for _, f := range o.Flags {
		if f.Given && strings.Contains(f.Value, " ") && (lex.Mentions(f.Name, "query sql statement")) {
			sql.Read(sh, f.Value)
		}
	}
	if lex.HasWord(lex.VerbWords(c.Name), web.DestroyVerbs) {
		sh.Effect(effect.DestroyRemote, effect.Part, strings.Join(o.Pos, " "))
	}
	last := 5
	for i, p := range o.Pos {
		if i > last || strings.ContainsAny(p, " \n") {
			break
		}
		if i == 0 && lex.OneOf(c.Name, "aws awslocal gcloud az") {
			continue
		}
		if i > 1 && lex.OneOf(c.Name, "aws awslocal") {
			break // a service, an operation; the rest are values
		}
		if lex.OneOf(p, readNouns) {
			last = min(last, i+1)
			continue
		}
		if remoteVerb(sh, c, o, i, operationWords(p)) {
			return
		}
	}
}

// remoteRuns follows a command that a service is told to run on its machines,
// and a service that is scaled down to nothing.
func remoteRuns(sh *shell.Shell, o shell.Options) {
	if lex.ContainsAny(o.Pos, "ssh run-command send-command execute-command exec console") {
		child := sh.Sub()
		child.Place = shell.RemotePlace()
		for _, text := range o.All("command", "C", "scripts", "parameters") {
			texts := []string{}
			for _, t := range script.Tokenize(strings.TrimPrefix(text, "commands="), "other") {
				if t.Kind == 's' && strings.Contains(text, "commands") {
					texts = append(texts, t.Text)
				}
			}
			if len(texts) == 0 {
				texts = []string{strings.TrimPrefix(text, "commands=")}
			}
			for _, t := range texts {
				child.Run(t, nil)
			}
		}
	}
	if !lex.ContainsAny(o.Pos, "scale ps:scale resize update-service update update-auto-scaling-group set-desired-capacity") {
		return
	}
	zero := slices.Contains(o.Pos, "0")
	for _, p := range o.Pos {
		zero = zero || strings.HasSuffix(p, "=0")
	}
	if v, ok := o.Get("desired-count", "desired-capacity", "max-size", "size", "num-nodes", "new-capacity", "node-count", "replicas"); zero || ok && v == "0" {
		sh.Effect(effect.ChangeRemote, effect.ScaleToZero, strings.Join(o.Pos, " "))
	}
}

// operationWords are the words of an operation: of "apps:destroy" the part
// after the colon comes first.
func operationWords(p string) []string {
	if group, verb, ok := strings.Cut(p, ":"); ok && !strings.Contains(verb, ":") && !strings.ContainsAny(p, "/=.") && verb != "" {
		return append(lex.VerbWords(verb), lex.VerbWords(group)...)
	}
	if strings.ContainsAny(p, ":/=.") {
		return nil
	}
	return lex.VerbWords(p)
}

// remoteVerb reports the effect if words hold a verb; true ends the search.
func remoteVerb(sh *shell.Shell, c shell.Command, o shell.Options, i int, words []string) bool {
	if len(words) > 1 && (words[0] == "force" && lex.OneOf(words[1], changeVerbs) || lex.OneOf(words[len(words)-1], "delete destroy purge")) {
		sh.Effect(effect.DestroyRemote, effect.Part, strings.Join(o.Pos, " "))
		return true
	}
	if len(words) > 1 && lex.OneOf(words[0], "batch force bulk schedule async start") && (lex.OneOf(words[1], web.DestroyVerbs) || words[len(words)-1] == "deletion") {
		sh.Effect(effect.DestroyRemote, effect.Teardown, strings.Join(o.Pos, " "))
		return true
	}
	if len(words) == 0 {
		return false
	}
	if words[0] == "admin" && len(words) > 1 {
		words = words[1:]
	}
	w := words[0]
	plain := len(words) == 1 || lex.OneOf(c.Name, "aws awslocal") || strings.Contains(o.Pos[i], ":")
	if w == "activate" && o.Pos[0] == "config" || c.Name == "artisan" && w == "clear" && lex.HasWord(words, "cache config route view event optimize") {
		return true // of the developer's own machine
	}
	if lex.OneOf(c.Name, "minikube colima k3d kind limactl multipass supabase ddev lando") && lex.OneOf(w, "stop pause restart") {
		return true // a cluster or a machine of the developer's own
	}
	switch {
	case w == "clone" && lex.HasWord(words, "env config variables"):
		sh.Effect(effect.ChangeRemote, effect.Overwrite, strings.Join(o.Pos, " "))
		return true
	case w == "on" && slices.Contains(words, "maintenance"):
		sh.Effect(effect.ChangeRemote, effect.Maintenance, strings.Join(o.Pos, " "))
		return true
	case lex.OneOf(w, web.DestroyVerbs):
		sh.Effect(effect.DestroyRemote, destroyScale(c, o, i, words, w), strings.Join(o.Pos, " "))
		return true
	case lex.OneOf(w, changeVerbs) && (plain || !lex.OneOf(w, "failover compact change clear maintenance block off")) || w == "clear" && len(words) == 2:
		sh.Effect(effect.ChangeRemote, effect.Named(w), strings.Join(o.Pos, " "))
		return true
	case lex.OneOf(w, readVerbs):
		return true
	case lex.OneOf(w, "put attach set add update modify create grant authorize allow") && (touchesRights(o.Pos[i]) || i > 0 && lex.HasWord(lex.VerbWords(o.Pos[i-1]), "assignment permission permissions binding bindings")),
		lex.OneOf(w, "update modify set reset") && setsPassword(o):
		sh.Effect(effect.ChangeRemote, effect.Rights, strings.Join(o.Pos, " "))
		return true
	}
	return false
}

func touchesRights(p string) bool {
	for _, w := range lex.VerbWords(p) {
		if lex.OneOf(w, "policy acl permission permissions access login binding bindings ingress rights secret password") {
			return true
		}
	}
	return false
}

// setsPassword is true if a flag gives a new password.
func setsPassword(o shell.Options) bool {
	for _, f := range o.Flags {
		if words := lex.VerbWords(f.Name); len(words) > 0 && words[len(words)-1] == "password" {
			return true
		}
	}
	return false
}

// destroyScale is "teardown" when a whole thing goes, "part" otherwise.
func destroyScale(c shell.Command, o shell.Options, i int, words []string, verb string) effect.Op {
	if lex.OneOf(c.Name, "terraform tofu terragrunt pulumi helmfile cdk cdktf serverless sls sst eksctl kops sam kubeadm k3d kind") && lex.OneOf(verb, "destroy delete remove down") && i <= 1 && o.Pos[0] != "state" {
		return effect.Teardown
	}
	if o.Pos[0] != "cache" && o.Exact("all", "A", "all-namespaces", "force", "recursive", "yes-i-really-mean-it", "delete-all", "all-collections") && !lex.OneOf(verb, "rm remove prune") {
		return effect.Teardown
	}
	head := words[len(words)-1]
	if strings.Contains(o.Pos[i], ":") {
		head = words[min(1, len(words)-1)]
	}
	if lex.OneOf(o.Pos[0], "cache state") {
		return effect.Part
	}
	if i == 0 && len(words) == 1 && lex.OneOf(c.Name, "heroku railway vercel vc now surge") || verb == "rb" {
		return effect.Teardown // the app, or the bucket, itself
	}
	if lex.OneOf(head, web.WholeNouns) && !lex.HasWord(words, "security log placement parameter option target") {
		return effect.Teardown
	}
	if i > 0 && lex.OneOf(strings.ToLower(o.Pos[i-1]), web.WholeNouns) && !lex.OneOf(c.Name, "aws awslocal") { // there a service stands
		return effect.Teardown
	}
	if i+1 < len(o.Pos) && i == 0 {
		kind, _, _ := strings.Cut(strings.ToLower(o.Pos[i+1]), "/")
		if lex.OneOf(kind, web.WholeNouns) {
			return effect.Teardown
		}
	}
	return effect.Part
}

// flagVerbs covers the programs whose verb is a flag.
func flagVerbs(sh *shell.Shell, c shell.Command, o shell.Options) {
	for _, f := range o.Flags {
		name := strings.ToLower(f.Name)
		switch {
		case lex.OneOf(name, "delete purge destroy remove delete-all flush-all drop rm remove-all prune purge-cache wipe force-delete drop-table delete-unmatched-destination-files delete-unmatched-destination-objects delete-destination delete-removed") && f.Value != "false":
			sh.Effect(effect.DestroyRemote, effect.Part, f.Name)
		case name == "execute" && !strings.HasPrefix(c.Name, "kafka"):
		case lex.OneOf(name, "reset-offsets prod force-recreate delete-config execute force-unlock leave"):
			if name == "prod" {
				sh.Effect(effect.PublishOut, effect.Named(c.Name), "production")
				return
			}
			sh.Effect(effect.ChangeRemote, effect.Named(name), f.Name)
		}
	}
}

// remoteSpecial holds the few verbs that mean something else in one program.
func remoteSpecial(sh *shell.Shell, c shell.Command, o shell.Options) {
	verb, sub := o.At(0), o.At(1)
	if lex.OneOf(verb, "deploy publish") && forProduction(o) {
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "production")
	}
	switch c.Name {
	case "supabase":
		if verb == "db" && sub == "push" || o.Exact("linked", "db-url") && lex.OneOf(sub, "up down repair") {
			sh.Effect(effect.ChangeRemote, effect.Apply, "database of the project")
		}
		if verb == "stop" && o.Exact("no-backup") {
			sh.Effect(effect.PruneLocal, effect.Volumes, "supabase")
		}
	case "cdk", "cdktf":
		if verb == "deploy" {
			sh.Effect(effect.ChangeRemote, effect.Apply, "infrastructure")
		}
	case "terraform", "tofu", "terragrunt", "pulumi":
		infrastructure(sh, c, o)
	case "gh", "glab":
		forge(sh, c, o)
	case "aws", "awslocal":
		if verb == "s3" && lex.OneOf(sub, "cp mv sync") && len(o.Pos) > 3 {
			cloudCopy(sh, c, o.Pos[2], o.Pos[3])
		}
		if verb == "s3" && sub == "mv" && strings.Contains(o.At(2), "://") {
			sh.Effect(effect.ChangeRemote, effect.Move, o.At(2))
		}
		if verb == "s3" && sub == "sync" && o.Exact("delete") {
			sh.Effect(effect.DeleteCopies, "", o.At(3))
		}
	case "gsutil", "azcopy":
		if verb == "mv" && strings.Contains(sub, "://") {
			sh.Effect(effect.ChangeRemote, effect.Move, sub)
		}
		if verb == "rsync" && o.Exact("d") || verb == "sync" && o.Exact("delete-destination") {
			sh.Effect(effect.DeleteCopies, "", strings.Join(o.Pos[1:], " "))
		}
	case "kubeadm", "talosctl":
		if verb == "reset" {
			sh.Effect(effect.DestroyRemote, effect.Teardown, "cluster node")
		}
	case "vault", "bao":
		if verb == "secrets" && sub == "disable" {
			sh.Effect(effect.DestroyRemote, effect.Teardown, "every secret below "+o.At(2))
		}
		if verb == "operator" && lex.OneOf(sub, "seal rekey init step-down generate-root rotate") {
			sh.Effect(effect.ChangeRemote, effect.Named(sub), verb)
		}
		if verb == "token" && sub == "revoke" || verb == "lease" && sub == "revoke" {
			sh.Effect(effect.ChangeRemote, effect.Revoke, verb)
		}
	case "firebase", "vercel", "netlify", "wrangler", "fly", "flyctl", "railway", "now", "vc", "surge":
		if verb == "deploy" && lex.OneOf(c.Name, "firebase surge") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "production")
		}
	case "deck":
		if verb == "sync" || verb == "gateway" && sub == "sync" {
			sh.Effect(effect.ChangeRemote, effect.Sync, "gateway")
		}
	case "etcdctl":
		if verb == "del" && o.Exact("prefix", "from-key") && strings.Trim(sub, "/") == "" {
			sh.Effect(effect.DestroyRemote, effect.Teardown, "every key")
		}
	case "helm":
		if lex.OneOf(verb, "push cm-push") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
		if verb == "upgrade" && o.Exact("force") {
			sh.Effect(effect.ChangeRemote, effect.Force, o.At(1))
		}
	case "restic", "borg", "kopia":
		if lex.OneOf(verb, "forget prune delete recreate") {
			sh.Effect(effect.DestroyRemote, effect.Teardown, "backup "+verb)
		}
	}
}

// forProduction is true if the flags say that the place is the one that others
// use.
func forProduction(o shell.Options) bool {
	if o.Exact("prod", "production") {
		return true
	}
	for _, place := range o.All("e", "env", "environment", "s", "stage", "stack", "target") {
		if lex.OneOf(strings.ToLower(place), "prod production live prd") {
			return true
		}
	}
	return false
}

func infrastructure(sh *shell.Shell, c shell.Command, o shell.Options) {
	verb := o.At(0)
	switch {
	case c.Name == "terragrunt" && verb == "run-all":
		verb = o.At(1)
	case verb == "state" && lex.OneOf(o.At(1), "rm mv push replace-provider"):
		sh.Effect(effect.ChangeRemote, effect.State, o.At(1))
	}
	switch verb {
	case "apply", "up":
		if o.Exact("destroy") || lex.ContainsPrefix(c.Args, "-destroy") {
			sh.Effect(effect.DestroyRemote, effect.Teardown, verb)
			return
		}
		sh.Effect(effect.ChangeRemote, effect.Apply, "infrastructure")
	case "taint", "untaint", "import", "force-unlock":
		sh.Effect(effect.ChangeRemote, effect.Named(verb), "state")
	case "workspace":
		if o.At(1) == "delete" {
			sh.Effect(effect.DestroyRemote, effect.Teardown, "workspace")
		}
	}
}

func forge(sh *shell.Shell, c shell.Command, o shell.Options) {
	verb, sub := o.At(0), o.At(1)
	if lex.OneOf(sub, "create upload comment edit note") {
		Carries(sh, c, o.Pos[min(2, len(o.Pos)):], c.Name)
		keysLeave(sh, c.Args, c.Name)
	}
	switch {
	case verb == "api":
		forgeAPI(sh, c)
	case verb == "repo" && sub == "sync" && o.Exact("force"):
		branch, _ := shell.ParseOptions(c.Args, "b branch s source").Get("b", "branch")
		sh.Effect(effect.PushForce, effect.Force, branch)
	case verb == "repo" && sub == "edit" && lex.ContainsPrefix(c.Args, "--visibility"):
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "repository visibility")
	case verb == "release" && lex.OneOf(sub, "create upload"):
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "release")
	case verb == "pr" && sub == "merge", verb == "mr" && sub == "merge", verb == "pr" && sub == "close", verb == "issue" && lex.OneOf(sub, "close transfer lock"), verb == "workflow" && lex.OneOf(sub, "run disable"), verb == "mr" && sub == "close", verb == "repo" && lex.OneOf(sub, "archive rename"):
		sh.Effect(effect.ChangeRemote, effect.Named(sub), verb)
	case lex.OneOf(verb, "ssh-key gpg-key deploy-key") && sub == "add", verb == "repo" && sub == "deploy-key" && o.At(2) == "add":
		sh.Effect(effect.ChangeRemote, effect.Rights, "a key of the account")
	case verb == "gist" && sub == "create":
		sh.Effect(effect.SendOut, effect.Gist, "")
	}
}

func forgeAPI(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, "X method H header f F field raw-field input q jq t template hostname p preview cache")
	method, _ := o.Get("X", "method")
	path := strings.Trim(o.At(1), "/")
	if strings.EqualFold(method, "delete") {
		op := effect.Part
		if strings.Count(path, "/") <= 2 && strings.HasPrefix(path, "repos/") {
			op = effect.Teardown
		}
		sh.Effect(effect.DestroyRemote, op, path)
	} else if _, branch, ok := strings.Cut(path, "/git/refs/heads/"); ok && lex.ContainsAny(append(o.All("F", "field"), o.All("f", "raw-field")...), "force=true") {
		sh.Effect(effect.PushForce, effect.Force, branch)
	} else if method != "" && !strings.EqualFold(method, "get") && lex.HasWord(lex.VerbWords(path), "protection collaborators hooks keys rulesets transfer merge secrets permissions visibility") {
		sh.Effect(effect.ChangeRemote, effect.Named(strings.ToLower(method)), path)
	}
	if method != "" && (lex.ContainsPrefix(o.All("f", "F", "field", "raw-field"), "visibility=") || lex.ContainsPrefix(o.All("f", "F", "field", "raw-field"), "private=false")) {
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "repository visibility")
	}
	for _, q := range append(o.All("f", "F", "field", "raw-field"), path) {
		if strings.Contains(q, "mutation") && strings.Contains(q, "delete") {
			sh.Effect(effect.DestroyRemote, effect.Part, "graphql")
		}
	}
}

// cloudCopy reports what a copy to a bucket takes out.
func cloudCopy(sh *shell.Shell, c shell.Command, from, to string) {
	if strings.Contains(to, "://") && !strings.Contains(from, "://") {
		Carries(sh, shell.Command{In: c.In}, []string{from}, to)
	}
}
