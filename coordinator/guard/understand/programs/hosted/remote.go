// Package hosted has the clients of clouds, clusters, trackers and other services, which are read by their verbs.
package hosted

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
	"github.com/afar-sh/afar/coordinator/guard/understand/verbs"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// The clients of clouds, clusters and hosted services share one grammar: groups, a
// verb and a noun. This file judges their commands by the verb. A table of every
// subcommand of every service would always be out of date.

// hostedClients are the programs to which the verb grammar applies.
const hostedClients = "acli airflow aiven akamai algolia aliyun amplify amtool apigee apigeecli apprunner appwrite" +
	" argo argocd artisan atlas attic auth0 avn aws awslocal az azcopy b2 bao barman bench bitbucket borg bosh" +
	" boundary bq braintree buildkite-agent bup caprover ccloud cdk cdktf ceph cf cfcli chalice chamber checkly" +
	" chronograf cinder circleci civo clearml clever clisso cloudflared clusterctl cockroach colima colmena comet" +
	" confluent consul consul-template contentful convex copilot crictl crossplane ctr curator dagster databricks" +
	" datadog-ci ddev deck dnscontrol docker-machine doctl dog dokku doppler drone drush duplicity dvc eb eksctl" +
	" elasticdump env0 es etcdctl etckeeper exo fastly firebase flagsmith flarectl flipt flux fly flyctl frappe" +
	" gandi gcloud gh gitlab-rake gitlab-runner glab glance govc grafana-cli grafanactl gsutil haproxyctl harness" +
	" hcloud helm helmfile heroku hub huggingface-cli humctl ibmcloud incus infisical influx ionosctl istioctl" +
	" jenkins-cli jira juju k k3d k3s k3s-kubectl kafka-acls kafka-configs kafka-consumer-groups" +
	" kafka-delete-records kafka-storage kafka-topics kaggle kamal kapacitor kcadm kcat keychain-tool kind kn knife" +
	" kopia kops koyeb kubeadm kubecolor kubectl kubeseal kustomize lakectl lambda lando launchctl-remote ldcli" +
	" lexicon limactl linear linkerd linode-cli lxc mailchimp mailgun mc meilisearch microk8s.kubectl minikube" +
	" mlflow modal mongocli multipass nats neonctl netlify newrelic nginxctl nixops nomad northflank nova now" +
	" now-cli nsc ntl oc oci ocm okta op opensearch-cli openstack ovhai packer pagerduty paypal pd pdnsutil" +
	" pgbackrest planetscale platform portainer postmark powerdns prefect promtool pscale pulumi rabbitmq-plugins" +
	" rabbitmqadmin rabbitmqctl radosgw-admin railway rancher rbd rclone-rc rdiff-backup redis-cluster render restic" +
	" rke rosa route53 rpk runpodctl rustic s3cmd s5cmd sam sanity scalingo scw sendgrid sentry-cli serverless ses" +
	" shopify skaffold sky sls snow snowsql spacectl split splunk square sst stackit stripe supabase surge swarm" +
	" swift talosctl tarsnap tctl tea tekton temporal terminus terraform terragrunt tfc tfe tkn tofu traefik travis" +
	" tsh turso twilio typesense unleash upctl upsun vagrant vastai vault vc vcd velero vercel vercel-cli virsh" +
	" vultr-cli wal-g wandb waypoint woodpecker-cli wp wrangler xata zappa zeabur"

// IsClient reports whether a program, or a script with its name, is one of hostedClients.
func IsClient(name string) bool {
	return lex.OneOf(strings.TrimSuffix(strings.TrimSuffix(name, ".sh"), ".py"), hostedClients)
}

// Report reports what a client does on a service: it finds the verb among the operands. It
// reports nothing of a program to which the grammar does not apply.
func Report(sh *shell.Shell, c shell.Command, _ argv.Options) {
	if !IsClient(c.Name) {
		return
	}
	values := here.CommonValues + " query-string query-statement sql statement statements"
	if c.Name == "gsutil" {
		values = "o h u"
	}
	o := argv.ParseOptions(c.Args, values)
	if onlyShows(c, o) {
		sh.Print(partial.Unknown)
		return
	}
	if lex.OneOf(o.At(0), "deploy publish") && forProduction(o) {
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "production")
	}
	rows.Run(sh, SpecialRows, o.Pos, c, o)
	remoteRuns(sh, o)
	if secret.HasMark(c.Args, partial.HoleSecret) && verbs.Tells(lex.VerbWords(strings.Join(o.Pos, " "))) {
		sh.Effect(effect.SendOut, effect.Secret, c.Name)
	}
	flagVerbs(sh, c, o)
	for _, f := range o.Flags {
		if strings.Contains(f.Value, " ") && lex.Mentions(f.Name, "query sql statement") {
			sql.Read(sh, f.Value)
		}
	}
	if lex.ContainsAny(o.Pos, "connect shell sql psql") {
		for _, text := range rows.Stdin(c) {
			sql.Read(sh, text)
		}
	}
	if slices.ContainsFunc(lex.VerbWords(c.Name), IsDestroying) {
		sh.Effect(effect.DestroyRemote, effect.Part, strings.Join(o.Pos, " "))
	}
	reportFirstVerb(sh, c, o)
}

// IsDestroying reports whether a verb destroys something hosted.
func IsDestroying(verb string) bool { return verbs.Of(verb) == verbs.Destroys }

// reportFirstVerb reports the effect of the first verb among the operands. In the AWS client, a service
// comes before the verb and values come after it.
func reportFirstVerb(sh *shell.Shell, c shell.Command, o argv.Options) {
	first, last := 0, 5
	switch c.Name {
	case "aws", "awslocal":
		first, last = 1, 1
	case "gcloud", "az":
		first = 1
	}
	for i := first; i < len(o.Pos) && i <= last; i++ {
		p := o.Pos[i]
		switch {
		case strings.ContainsAny(p, " \n"):
			return
		case verbs.IsGroup(p):
			last = min(last, i+1)
		case remoteVerb(sh, c, o, i):
			return
		}
	}
}

// onlyShows reports whether a command is a dry run or only shows its help.
func onlyShows(c shell.Command, o argv.Options) bool {
	switch {
	case c.Name == "gsutil" && o.At(0) == "rsync" && o.Given("n"):
		return true
	case o.Given("dry-run=none dry-run=false"):
		return false
	case o.Given("help dry-run dryrun what-if no-execute-changeset"):
		return true
	}
	return c.Name != "heroku" && o.Given("h")
}

// remoteRuns follows a command that a service runs on its machines. It also reports a
// service that is scaled down to zero.
func remoteRuns(sh *shell.Shell, o argv.Options) {
	if lex.ContainsAny(o.Pos, "ssh run-command send-command execute-command exec console") {
		child := sh.Elsewhere()
		for _, text := range o.All("command", "C", "scripts", "parameters") {
			for _, one := range listedCommands(text) {
				secret.ReportVariables(child, strings.Fields(one))
				child.Run(one, nil)
			}
		}
	}
	if lex.ContainsAny(o.Pos, "scale ps:scale resize update-service update update-auto-scaling-group "+
		"set-desired-capacity") && toZero(o) {
		sh.Effect(effect.ChangeRemote, effect.ScaleToZero, strings.Join(o.Pos, " "))
	}
}

// listedCommands returns the commands of an option: a list of literals, or the text itself.
func listedCommands(text string) []string {
	code := strings.TrimPrefix(text, "commands=")
	var list []string
	for _, t := range script.Tokenize(code, "other") {
		if t.Kind == 's' && strings.Contains(text, "commands") {
			list = append(list, t.Text)
		}
	}
	if len(list) == 0 {
		return []string{code}
	}
	return list
}

// toZero reports whether an operand or an option sets a size to zero.
func toZero(o argv.Options) bool {
	const sizes = "desired-count=0 desired-capacity=0 max-size=0 size=0 num-nodes=0 new-capacity=0 node-count=0 " +
		"replicas=0"
	isZero := func(p string) bool { return p == "0" || strings.HasSuffix(p, "=0") }
	return o.Given(sizes) || slices.ContainsFunc(o.Pos, isZero)
}

// OperationWords returns the words of an operation. In "apps:destroy" and "pg:backups:delete", the
// part after the last colon comes first.
func OperationWords(p string) []string {
	if strings.ContainsAny(p, "/=.@ \n") || strings.Contains(p, "::") {
		return nil
	}
	i := strings.LastIndexByte(p, ':')
	if i == len(p)-1 {
		return nil
	}
	return append(lex.VerbWords(p[i+1:]), lex.VerbWords(p[:max(i, 0)])...)
}

// operation is an operand with a verb, found among the operands of a command.
type operation struct {
	c     shell.Command
	o     argv.Options
	at    int      // the index of the operand
	words []string // its words, the verb first
}

// remoteVerb reports the effect if the i-th operand holds a verb. It returns true if
// the search for a verb is over.
func remoteVerb(sh *shell.Shell, c shell.Command, o argv.Options, i int) bool {
	words := OperationWords(o.Pos[i])
	if len(words) == 0 {
		return false
	}
	if scale := compoundVerb(words); scale != "" {
		sh.Effect(effect.DestroyRemote, scale, strings.Join(o.Pos, " "))
		return true
	}
	if words[0] == "admin" && len(words) > 1 {
		words = words[1:]
	}
	v := operation{c, o, i, words}
	if v.isLocal() {
		return true
	}
	kind, op, known := v.classify()
	if kind != "" {
		sh.Effect(kind, op, strings.Join(o.Pos, " "))
	}
	return known
}

// compoundVerb returns how much an operation of several words destroys, such as
// force-destroy, x-delete or batch-delete. It returns "" if it destroys nothing.
func compoundVerb(words []string) effect.Op {
	if len(words) < 2 {
		return ""
	}
	last := words[len(words)-1]
	switch {
	case lex.OneOf(last, "delete destroy purge"), words[0] == "force" && verbs.Of(words[1]) == verbs.Changes:
		return effect.Part
	case !lex.OneOf(words[0], "async batch bulk force schedule start"):
		return ""
	case last == "deletion", IsDestroying(words[1]):
		return effect.Teardown
	}
	return ""
}

// isLocal reports whether an operation concerns only the developer's own
// machine: its settings, its caches or a cluster on it.
func (v operation) isLocal() bool {
	switch verb := v.words[0]; verb {
	case "activate":
		return v.o.Pos[0] == "config"
	case "flush":
		return v.c.Name == "wp" && lex.OneOf(v.o.Pos[0], "cache rewrite transient")
	case "clear":
		return v.c.Name == "artisan" && lex.ContainsAny(v.words, "cache config route view event optimize")
	case "stop", "pause", "restart":
		return lex.OneOf(v.c.Name, "colima ddev k3d kind lando limactl minikube multipass supabase")
	}
	switch {
	case v.c.Name == "dvc": // its store is changed by "gc --cloud" alone
		return true
	case v.o.Given("a all purge"), v.o.At(1) == "clusters":
		return false
	}
	return lex.OneOf(v.c.Name, "minikube k3d kind")
}

// classify returns the effect of a verb, and whether the verb is known.
func (v operation) classify() (kind effect.Kind, op effect.Op, known bool) {
	verb := v.words[0]
	switch {
	case verb == "clone" && lex.ContainsAny(v.words, "env config variables"):
		return effect.ChangeRemote, effect.Named("overwrite"), true
	case verb == "on" && slices.Contains(v.words, "maintenance"):
		return effect.ChangeRemote, effect.Named("maintenance"), true
	case IsDestroying(verb):
		return effect.DestroyRemote, v.scale(), true
	case v.changes():
		return effect.ChangeRemote, effect.Named(verb), true
	case verbs.Of(verb) == verbs.Reads:
		return "", "", true
	case v.grants():
		return effect.ChangeRemote, effect.Rights, true
	}
	return "", "", false
}

// changes reports whether a verb changes something. Some verbs do so only if no other
// word is joined to them.
func (v operation) changes() bool {
	verb := v.words[0]
	switch {
	case verb == "clear" && len(v.words) == 2:
		return true
	case verbs.Of(verb) != verbs.Changes:
		return false
	case len(v.words) == 1, v.isAWS(), strings.Contains(v.o.Pos[v.at], ":"):
		return true
	}
	return !lex.OneOf(verb, "block change clear compact failover maintenance off")
}

// grants reports whether an operation gives rights or sets a new password.
func (v operation) grants() bool {
	verb := v.words[0]
	if lex.OneOf(verb, "update modify set reset") && setsPassword(v.o) {
		return true
	}
	if !lex.OneOf(verb, "add allow attach authorize create grant modify put set update") {
		return false
	}
	before := lex.VerbWords(v.o.At(v.at - 1))
	return v.opens() || verbs.GivesRights(lex.VerbWords(v.o.Pos[v.at])) ||
		lex.ContainsAny(before, "assignment permission permissions binding bindings")
}

// isAWS reports whether the command is one of the AWS client.
func (v operation) isAWS() bool { return lex.OneOf(v.c.Name, "aws awslocal") }

// opens reports whether a flag lets every address in.
func (v operation) opens() bool {
	return slices.ContainsFunc(v.o.Flags, func(f argv.Flag) bool {
		return strings.Contains(f.Value, "0.0.0.0/0") || f.Name == "start-ip-address" && f.Value == "0.0.0.0"
	})
}

// setsPassword reports whether a flag gives a new password.
func setsPassword(o argv.Options) bool {
	for _, f := range o.Flags {
		if words := lex.VerbWords(f.Name); len(words) > 0 && words[len(words)-1] == "password" {
			return true
		}
	}
	return false
}

// scale returns Teardown if a whole resource is destroyed, and Part otherwise.
func (v operation) scale() effect.Op {
	o, verb := v.o, v.words[0]
	switch {
	case v.destroysStack():
		return effect.Teardown
	case o.Pos[0] == "cache":
		return effect.Part
	case !lex.OneOf(verb, "rm remove prune") && o.Given("all A all-namespaces force "+
		"recursive yes-i-really-mean-it delete-all all-collections"):
		return effect.Teardown
	case o.Pos[0] == "state":
		return effect.Part
	case verb == "rb", v.isWhole():
		return effect.Teardown
	}
	return effect.Part
}

// destroysStack reports whether a command destroys everything that a tool has built.
func (v operation) destroysStack() bool {
	switch {
	case v.at > 1, v.o.Pos[0] == "state", !lex.OneOf(v.words[0], "destroy delete remove down"):
		return false
	}
	return lex.OneOf(v.c.Name, "cdk cdktf eksctl helmfile k3d kind kops kubeadm pulumi sam serverless sls sst"+
		" terraform terragrunt tofu")
}

// isWhole reports whether an operation is on a resource that contains others, such as
// an app, a bucket or a database.
func (v operation) isWhole() bool {
	head := v.words[len(v.words)-1]
	if strings.Contains(v.o.Pos[v.at], ":") {
		head = v.words[min(1, len(v.words)-1)]
	}
	if verbs.IsWhole(head) && !lex.ContainsAny(v.words, "security log placement parameter option target") {
		return true
	}
	if v.at > 0 { // in the AWS client that operand is a service
		return !v.isAWS() && verbs.IsWhole(strings.ToLower(v.o.Pos[v.at-1]))
	}
	if len(v.words) == 1 && lex.OneOf(v.c.Name, "heroku now railway surge vc vercel") {
		return true
	}
	kind, _, _ := strings.Cut(strings.ToLower(v.o.At(1)), "/")
	return verbs.IsWhole(kind)
}

// flagVerbs reports the effects of flags that act as verbs.
func flagVerbs(sh *shell.Shell, c shell.Command, o argv.Options) {
	for _, f := range o.Flags {
		name := strings.ToLower(f.Name)
		switch {
		case lex.OneOf(name, "delete delete-all delete-destination delete-removed delete-unmatched-destination-files"+
			" delete-unmatched-destination-objects destroy drop drop-table flush-all force-delete prune purge"+
			" purge-cache remove remove-all rm wipe") && f.Value != "false":
			sh.Effect(effect.DestroyRemote, effect.Part, f.Name)
		case name == "prod":
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "production")
			return
		case name == "execute" && !strings.HasPrefix(c.Name, "kafka"):
		case lex.OneOf(name, "delete-config execute force-recreate force-unlock leave reset-offsets"):
			sh.Effect(effect.ChangeRemote, effect.Named(name), f.Name)
		}
	}
}

// reportMovedBucket reports files that are moved out of a bucket, or from this machine into one.
func reportMovedBucket(sh *shell.Shell, _ shell.Command, o argv.Options) {
	sources, _ := rows.OperandsTo(argv.Options{Pos: lex.After(o.Pos, "mv", 1)})
	for _, from := range sources {
		if strings.Contains(from, "://") {
			sh.Effect(effect.ChangeRemote, effect.Move, from)
			continue
		}
		sh.Deletes(effect.DeleteTree, "", from)
	}
}

// forProduction reports whether the flags name the production environment.
func forProduction(o argv.Options) bool {
	places := rows.Lowered(o.All("e", "env", "environment", "s", "stage", "stack", "target"))
	return o.Given("prod production") || lex.ContainsAny(places, "prod production live prd")
}

// forge reports what a forge's client publishes, merges or grants rights to.
func forge(sh *shell.Shell, c shell.Command, o argv.Options) {
	if lex.OneOf(o.At(1), "comment create edit note run upload") {
		secret.ReportCarried(sh, c, o.From(2), c.Name)
		secret.ReportKeys(sh, c.Args, c.Name)
	}
	rows.Run(sh, ForgeRows, o.Pos, c, o)
}

// rememberRelease remembers the folder for files of another repository.
func rememberRelease(sh *shell.Shell, c shell.Command, _ argv.Options) {
	dir, _ := argv.ParseOptions(c.Args, "D dir").Get("D", "dir")
	sh.Unpacks(dir)
}

// reportDownload reports the files that a download overwrites.
func reportDownload(sh *shell.Shell, c shell.Command, _ argv.Options) {
	o := argv.ParseOptions(c.Args, "p pattern O output D dir R repo")
	dir, _ := o.Get("D", "dir")
	for _, name := range o.All("p", "pattern", "O", "output") {
		sh.Write(sh.Path(dir) + "/" + name)
	}
}

var ForgeRows = []rows.Row{
	{Words: "alias set * *", Runs: &rows.Start{Text: rows.Operand(3)}},
	{Words: "api", Also: forgeAPI},
	{Words: "release download", Given: "clobber", Also: reportDownload},
	{Words: "release|run download", Given: "R= repo=", Also: rememberRelease},
	{Words: "extension|ext install|upgrade *", Does: effect.RunUnknown, Op: effect.Network, To: rows.Operand(2)},
	{Words: "repo sync", Given: "force", Also: reportSyncedBranch},
	{
		Words: "repo edit", Args: "--visibility*", Does: effect.PublishOut, OpOf: rows.ProgramName,
		To: rows.Text("repository visibility"),
	},
	{Words: "release create|upload", Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Text("release")},
	{Words: "pr|mr merge|close", Does: effect.ChangeRemote, OpOf: rows.Operand(1), To: rows.Operand(0)},
	{Words: "issue transfer|lock", Does: effect.ChangeRemote, OpOf: rows.Operand(1), To: rows.Operand(0)},
	{Words: "workflow run|disable", Does: effect.ChangeRemote, OpOf: rows.Operand(1), To: rows.Operand(0)},
	{Words: "ssh-key|gpg-key|deploy-key add", As: &addsKey},
	{Words: "repo deploy-key add", As: &addsKey},
	{Words: "gist create", Does: effect.SendOut, Op: "gist"},
}

// reportSyncedBranch reports a branch that is overwritten with the branch of its source.
func reportSyncedBranch(sh *shell.Shell, c shell.Command, _ argv.Options) {
	branch, _ := argv.ParseOptions(c.Args, "b branch s source").Get("b", "branch")
	sh.Effect(effect.PushForce, effect.Force, branch)
}

// forgeAPI reports a request to the API of a forge.
func forgeAPI(sh *shell.Shell, c shell.Command, _ argv.Options) {
	o := argv.ParseOptions(c.Args, "X method H header f F field raw-field input q jq t template hostname p "+
		"preview cache")
	method, _ := o.Get("X", "method")
	path := strings.Trim(o.At(1), "/")
	fields := o.All("f", "F", "field", "raw-field")
	if !strings.EqualFold(method, "get") {
		reportCarriedFields(sh, c, append(fields, o.All("input")...))
	}
	_, branch, isBranch := strings.Cut(path, "/git/refs/heads/")
	switch {
	case strings.EqualFold(method, "delete"):
		op := effect.Part
		if strings.Count(path, "/") <= 2 && strings.HasPrefix(path, "repos/") {
			op = effect.Teardown
		}
		sh.Effect(effect.DestroyRemote, op, path)
	case isBranch && slices.Contains(fields, "force=true"):
		sh.Effect(effect.PushForce, effect.Force, branch)
	case changesSettings(method, path):
		sh.Effect(effect.ChangeRemote, effect.Named(strings.ToLower(method)), path)
	}
	opens := func(field string) bool { return lex.BeginsWith(field, "visibility= private=false") }
	if method != "" && slices.ContainsFunc(fields, opens) {
		sh.Effect(effect.PublishOut, effect.Named(c.Name), "repository visibility")
	}
	if slices.ContainsFunc(append(fields, path), web.Mutation) {
		sh.Effect(effect.DestroyRemote, effect.Part, "graphql")
	}
}

// reportCarriedFields reports secrets in the fields of a request, and in the files that they name.
func reportCarriedFields(sh *shell.Shell, c shell.Command, fields []string) {
	var files []string
	for _, f := range fields {
		if _, file, ok := strings.Cut(f, "=@"); ok {
			files = append(files, file)
		} else if !strings.Contains(f, "=") {
			files = append(files, f)
		}
	}
	secret.ReportCarried(sh, shell.Command{Args: fields, In: c.In}, files, c.Name)
	secret.ReportKeys(sh, fields, c.Name)
}

// changesSettings reports whether a request changes rights or other guarded settings.
func changesSettings(method, path string) bool {
	if strings.EqualFold(cmp.Or(method, "get"), "get") {
		return false
	}
	return lex.ContainsAny(lex.VerbWords(path), "protection collaborators hooks keys rulesets transfer merge secrets "+
		"permissions visibility")
}

// Programs are programs that only send data.
var Programs = []rows.Table{
	{
		Programs: "wormhole magic-wormhole croc ipfs transfer ffsend toss slack telegram-send pastebinit " +
			"wgetpaste ix s3cmd s5cmd mc b2 azcopy gsutil mosquitto_pub ntfy apprise signal-cli",
		Options: "code", Do: reportCarriedOperands,
		Rows: []rows.Row{
			{Of: "slack", Among: "delete", Does: effect.DestroyRemote, Op: effect.Part, To: rows.OperandsFrom(0)},
			{Of: "slack", Words: "chat send|update", Does: effect.SendOut, Op: effect.Message, To: rows.ProgramName},
			{
				Of: "telegram-send", Without: "configure help version",
				Does: effect.SendOut, Op: effect.Message, To: rows.ProgramName,
			},
			{Of: "signal-cli", Args: "send", Does: effect.SendOut, Op: effect.Message, To: rows.ProgramName},
		},
	},
}

// reportCarriedOperands reports secrets among the files that a program sends, and what it does on a service.
func reportCarriedOperands(sh *shell.Shell, c shell.Command, o argv.Options) {
	secret.ReportCarried(sh, c, o.Pos, c.Name)
	Report(sh, c, o)
}
