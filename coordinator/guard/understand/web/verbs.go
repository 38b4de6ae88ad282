package web

// DestroyVerbs are the verbs that destroy a hosted resource or a part of it.
const DestroyVerbs = "delete destroy terminate purge drop wipe nuke flush truncate obliterate forget erase rm " +
	"remove del rb prune empty uninstall " +
	"teardown expunge deletion unpublish down undeploy decommission cleanup deprovision release-address rmdir " +
	"unset unset-all remove-all deleteall flushall clean rmi rmp " +
	"unregister deregister recreate annihilate discard trash yank rdelete untag unsubscribe undefine"

// WholeNouns are the resources that contain others or that cannot be restored.
// Destroying one of them is a teardown.
const WholeNouns = "cluster clusters project projects namespace namespaces ns database databases db " +
	"instance-group bucket buckets stack stacks group groups app apps " +
	"account accounts organization organizations org subscription vault keyvault backup backups snapshot " +
	"snapshots volume volumes filesystem table tables zone zones " +
	"hosted repo repository repositories pv pvc persistentvolume persistentvolumes persistentvolumeclaim " +
	"persistentvolumeclaims crd crds node nodes tenant workspace " +
	"environment environments site sites pool pools kms domain domains registry instance instances machine " +
	"machines vm vms server servers droplet " +
	"postgres pg d1 disk disks linode linodes droplets cosmosdb aks eks gke flexible-server acr webapp " +
	"functionapp rds dynamodb spanner bigtable sql schema index indices collection collections topic " +
	"topics recovery point stateful statefulset warehouse"
