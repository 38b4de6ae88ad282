package hosted

import (
	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/here"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
)

// SpecialRows describe the verbs that have a special meaning in one program.
var SpecialRows = []rows.Row{
	{Of: "supabase", Words: "db push", As: &migratesProject},
	{Of: "supabase", Words: "* up|down|repair", Given: "linked db-url", As: &migratesProject},
	{Of: "knife", Words: "ssh * *", Runs: &rows.Start{Text: rows.Operand(2), Away: true}},
	{
		Of: "shopify", Words: "theme push", Given: "live allow-live l publish p",
		Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Operand(0),
	},
	{
		Of: "shopify", Words: "theme|app publish|share|deploy|release",
		Does: effect.PublishOut, OpOf: rows.ProgramName, To: rows.Operand(0),
	},
	{
		Of: "supabase", Words: "stop", Given: "no-backup", Does: effect.PruneLocal, Op: effect.Volumes,
		To: rows.Text("supabase"),
	},

	{
		Of: infrastructureTools, Words: "state rm|mv|push|replace-provider",
		Does: effect.ChangeRemote, Op: effect.State, To: rows.Operand(1),
	},
	{
		Of: "terraform tofu terragrunt", Words: "init", Args: "-force-copy",
		Does: effect.ChangeRemote, Op: effect.State, To: rows.Text("the place of the state"),
	},
	{Of: "pulumi", Words: "stack import", Does: effect.ChangeRemote, Op: effect.State, To: rows.Text("stack")},
	{
		Of: "terragrunt", Words: "run-all apply|up", Args: destroyOptions,
		Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.Operand(1),
	},
	{Of: "terragrunt", Words: "run-all apply|up", As: &applies},
	{
		Of: "terragrunt", Words: "run-all taint|untaint|import|force-unlock",
		Does: effect.ChangeRemote, OpOf: rows.Operand(1), To: rows.Text("state"),
	},
	{Of: "cdk cdktf", Words: "deploy", As: &applies},
	{
		Of: infrastructureTools, Words: "apply|up", Args: destroyOptions,
		Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.Operand(0),
	},
	{Of: infrastructureTools, Words: "apply|up", As: &applies},
	{
		Of: infrastructureTools, Words: "taint|untaint|import|force-unlock",
		Does: effect.ChangeRemote, OpOf: rows.Operand(0), To: rows.Text("state"),
	},

	{Of: "gh glab hub tea", Also: forge},
	{Of: "gcloud", Given: "allow-unauthenticated", GoOn: true, As: &opensToAll},
	{Of: "convex", Words: "import", Given: "replace replace-all", Does: effect.DropData, To: rows.Text("tables")},

	{
		Of: "aws",
		Words: "ses|sesv2 " +
			"send-bulk-email|send-bulk-templated-email|send-email|send-raw-email|send-templated-email",
		Does: effect.SendOut, Op: effect.Message, To: rows.Operand(0),
	},
	{
		Of: "aws", Words: "route53domains register-domain|transfer-domain|renew-domain", Does: effect.ChangeRemote,
		OpOf: rows.Operand(1), To: rows.Text("a domain that is paid for"),
	},
	{
		Of: infrastructureTools, Words: "output *", Mention: "api_key credential password private_key secret token",
		Does: effect.RevealSecret, OpOf: rows.ProgramName, To: rows.Operand(1),
	},
	{
		Of: "aws", Words: "sns publish", Given: "phone-number=",
		Does: effect.SendOut, Op: effect.Message, To: rows.Operand(0),
	},
	{
		Of: "aws", Words: "s3api put-bucket-lifecycle|put-bucket-lifecycle-configuration",
		Does: effect.DestroyRemote, Op: effect.Part, To: rows.Text("objects that expire"),
	},
	{
		Of: "aws",
		Words: "* modify-db-cluster-snapshot-attribute|modify-db-snapshot-attribute|modify-image-attribute|" +
			"modify-snapshot-attribute",
		As: &opensToAll,
	},

	{Of: "aws awslocal", Words: "s3 cp|mv|sync * *", GoOn: true, Also: secret.ReportCopied},
	{Of: "aws awslocal", Words: "s3 mv", Also: reportMovedBucket},
	{Of: "aws awslocal", Words: "s3 sync", Given: "delete", Does: effect.DeleteCopies, To: rows.Operand(3)},
	{Of: "gsutil", Words: "mv", Also: reportMovedBucket},
	{Of: "gcloud", Words: "storage mv", Also: reportMovedBucket},
	{Of: "aws awslocal", Words: "s3api get-object *", Does: effect.WriteFile, To: rows.Paths{rows.Operand(2)}},
	{
		Of: "az", Words: "storage blob|file download", Given: "f= file=",
		Does: effect.WriteFile, To: rows.Paths{rows.ValueOf("f file")},
	},
	{
		Of: "gsutil azcopy", Words: "rsync|sync", Given: "d delete-destination",
		Does: effect.DeleteCopies, To: rows.OperandsFrom(1),
	},

	{Of: "kind minikube", Words: "delete|stop", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}},
	{Of: "k3d", Words: "cluster delete|stop", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}},
	{Of: "kind", Words: "create cluster", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.ProgramName}},
	{Of: "k3d", Words: "cluster create", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.ProgramName}},
	{Of: "minikube", Words: "start", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.ProgramName}},
	{
		Of: "gcloud", Words: "container clusters get-credentials",
		Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand},
	},
	{Of: "az", Words: "aks get-credentials", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}},
	{Of: "aws", Words: "eks update-kubeconfig", Sets: &rows.Assignment{Name: here.KubeContext, To: rows.LastOperand}},
	{
		Of: "stripe", Words: "refunds|payouts|transfers create", Does: effect.ChangeRemote, Op: "refund",
		To: rows.Operand(0),
	},
	{Of: "mc", Words: "alias set * *", Also: here.RememberHost},

	{
		Of: "kubeadm talosctl", Words: "reset", Does: effect.DestroyRemote, Op: effect.Teardown,
		To: rows.Text("cluster node"),
	},
	{
		Of: "vault bao", Words: "secrets disable",
		Does: effect.DestroyRemote, Op: effect.Teardown,
		To: rows.Joined{rows.Text("every secret below"), rows.Operand(2)},
	},
	{
		Of: "vault bao", Words: "operator seal|rekey|init|step-down|generate-root|rotate",
		Does: effect.ChangeRemote, OpOf: rows.Operand(1), To: rows.Operand(0),
	},
	{
		Of: "firebase surge", Words: "deploy", Does: effect.PublishOut, OpOf: rows.ProgramName,
		To: rows.Text("production"),
	},
	{Of: "dnscontrol amplify", Words: "push", Does: effect.ChangeRemote, Op: effect.Apply, To: rows.ProgramName},
	{
		Of: "dvc", Words: "gc", Given: "c cloud", Does: effect.DestroyRemote, Op: effect.Part,
		To: rows.Text("data of the remote"),
	},
	{
		Of: "twilio", Words: "api:core:messages:create|api:core:calls:create",
		Does: effect.SendOut, Op: effect.Message, To: rows.Operand(0),
	},
	{Of: "deck", Among: "sync", Does: effect.ChangeRemote, Op: effect.Sync, To: rows.Text("gateway")},
	{
		Of: "etcdctl", Words: "del |/", Given: "prefix from-key",
		Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.Text("every key"),
	},
	{Of: "helm", Words: "push|cm-push", As: &rows.Publishes},
	{Of: "helm", Words: "upgrade", Given: "force", Does: effect.ChangeRemote, Op: effect.Force, To: rows.Operand(1)},
	{
		Of: "restic rustic borg kopia", Words: "forget|prune|delete|recreate",
		Does: effect.DestroyRemote, Op: effect.Teardown, To: rows.Joined{rows.Text("backup"), rows.Operand(0)},
	},
}

const (
	infrastructureTools = "terraform tofu terragrunt pulumi"
	destroyOptions      = "-destroy*|--destroy|--destroy=true"
)

var (
	applies         = rows.Act{Kind: effect.ChangeRemote, Op: effect.Apply, To: rows.Text("infrastructure")}
	migratesProject = rows.Act{Kind: effect.ChangeRemote, Op: effect.Apply, To: rows.Text("database of the project")}
	opensToAll      = rows.Act{Kind: effect.ChangeRemote, Op: effect.Rights, To: rows.LastOperand}
	addsKey         = rows.Act{Kind: effect.ChangeRemote, Op: effect.Rights, To: rows.Text("a key of the account")}
)
