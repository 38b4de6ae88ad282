// Package verbs classifies the words of operations. Command lines of clouds and trackers, the names of tools
// of MCP servers, the paths of HTTP requests, fields of GraphQL and the names of functions of libraries all
// say verb and noun. This package has the one table of these words, and the only answers to what they mean.
package verbs

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// The classes of verbs. No word is in two of them, but for those of wiping.
const (
	// Ending are verbs that only make sense for something that is hosted.
	Ending = "decommission deprovision deregister destroy nuke obliterate purge teardown terminate " +
		"undeploy unpublish wipe"
	// plain are verbs that destroy what they are about in whatever form they are written: as a command, a
	// field, a part of a path, or in the name of a function.
	plain = "delete drop erase remove truncate"
	// short are verbs that destroy as the command of a client, and may mean less elsewhere.
	short = "annihilate clean cleanup del deleteall deletion discard down empty expunge flush flushall " +
		"forget prune rb rdelete recreate release-address remove-all rm rmdir rmi rmp trash undefine " +
		"uninstall unregister unset unset-all unsubscribe untag yank"
	// Destroying are all verbs that destroy something hosted or a part of it.
	Destroying = Ending + " " + plain + " " + short
	// Changing are verbs that change something hosted so that others notice.
	Changing = "abort activate archive ban cancel cordon deactivate deallocate demote detach disable " +
		"disassociate drain evict expire failback failover force-unlock freeze hibernate invalidate " +
		"kill leave maintenance off overwrite pause promote quarantine reassign rebalance reboot " +
		"redrive regenerate rekey rename reset resign restart revoke roll rollback rotate seal " +
		"shutdown stepdown stop suspend transfer unbind undo unlink unlock"
	// wiping are words of a command that wipes a database, such as migrate:fresh, ecto.drop and "database
	// reset". With another noun they say little.
	wiping = "drop empty flush fresh purge refresh replant reset truncate wipe"
	// small are verbs with which a tool often changes something small.
	small = "block break change clear compact repair"
	// reading are verbs that change nothing.
	reading = "batchget browse cat check completion count describe diff doctor download dump estimate " +
		"explain export fetch find get head help inspect lint list lookup ls ping plan poll preview " +
		"print read search show simulate tail validate verify view watch whoami"
	// readingNouns are verbs in some programs, and groups with verbs of their own in others.
	readingNouns = "docs events history info log logs metrics open output outputs ps query scan stats status " +
		"test top trace tree version versions"
)

// The classes of nouns.
const (
	// whole are what contains others or cannot be restored: to destroy one of them is a teardown.
	whole = "account accounts acr aks app apps backup backups bigtable bucket buckets cluster clusters " +
		"collection collections cosmosdb crd crds d1 database databases db disk disks domain domains " +
		"droplet droplets dynamodb eks environment environments filesystem flexible-server " +
		"functionapp gke group groups hosted index indices instance instance-group instances keyvault " +
		"kms linode linodes machine machines namespace namespaces node nodes ns org organization " +
		"organizations persistentvolume persistentvolumeclaim persistentvolumeclaims " +
		"persistentvolumes pg point pool pools postgres project projects pv pvc rds recovery registry " +
		"repo repositories repository schema server servers site sites snapshot snapshots spanner sql " +
		"stack stacks stateful statefulset subscription table tables tenant topic topics vault vm vms " +
		"volume volumes warehouse webapp workspace zone zones"
	// hosted are what a deletion by a program that is not known must be about to count.
	hosted = "account accounts app apps bucket buckets cluster clusters collection collections database " +
		"databases deployment domain domains environment index indices instance instances namespace " +
		"organization project projects queue queues record records repo repository server servers " +
		"service site sites stack stacks tenant tenants token tokens topic topics user users zone " +
		"zones"
	// stored are what a command is about that wipes a database.
	stored = "database datastore db doctrine ecto migrate migration migrations schema sql"
	// slight are what may be removed without a loss.
	slight = "assignee assignees bookmark label labels reaction reviewer reviewers star subscription " +
		"upvote"
	// Rights are what gives somebody rights.
	Rights = "access acl binding bindings ingress login password permission permissions policy rights " +
		"secret"
	// telling are verbs and services with which a client sends a text to others.
	telling = "comment event events invoke kinesis lambda message messages post pub publish send sns sqs"
)

// GivingRights are verbs with which a tool gives rights, if it does so with one of the Rights.
const GivingRights = "add attach create grant put set update"

// Class says what a verb does to what it is about.
type Class byte

// The classes. The verb of an Unknown one may do anything.
const (
	Unknown Class = iota
	Reads
	Changes
	Destroys
)

// Of returns the class of a verb in a command.
func Of(verb string) Class {
	switch {
	case lex.OneOf(verb, Destroying):
		return Destroys
	case lex.OneOf(verb, Changing), IsSmallChange(verb):
		return Changes
	case lex.OneOf(verb, reading):
		return Reads
	}
	return Unknown
}

// IsSmallChange reports whether a verb changes something that is often small.
func IsSmallChange(verb string) bool { return lex.OneOf(verb, small) }

// IsGroup reports whether a word that reads may be a group with verbs of its own.
func IsGroup(word string) bool { return lex.OneOf(word, readingNouns) }

// IsHosted reports whether a verb only makes sense for something that is hosted.
func IsHosted(verb string) bool { return lex.OneOf(verb, Ending) }

// IsPlain reports whether a verb destroys in whatever form it is written.
func IsPlain(verb string) bool {
	return lex.OneOf(verb, plain) || lex.OneOf(verb, "destroy obliterate purge terminate wipe")
}

// IsWhole reports whether to destroy a noun is a teardown.
func IsWhole(noun string) bool { return lex.OneOf(noun, whole) }

// NamesHosted reports whether one of words is a kind of thing that is hosted.
func NamesHosted(words []string) bool { return lex.ContainsAny(words, hosted) }

// Tells reports whether one of words says that a text goes to others.
func Tells(words []string) bool { return lex.ContainsAny(words, telling) }

// GivesRights reports whether one of words is about the rights of somebody.
func GivesRights(words []string) bool { return lex.ContainsAny(words, Rights) }

// EndsByName reports whether the name of a field or of an action of an API says that it destroys something
// that is not slight.
func EndsByName(name string) bool {
	words := lex.VerbWords(name)
	return slices.ContainsFunc(words, IsPlain) && !lex.ContainsAny(words, slight)
}

// EndsAction reports whether a value, such as "deleteMany", tells an API to destroy something. What is in
// the past, such as "deleted", is a state.
func EndsAction(value string) bool {
	words := lex.VerbWords(value)
	return IsPlain(lex.First(words)) && !strings.HasSuffix(words[len(words)-1], "ed")
}

// EndsByPath reports whether the path of a request has a word that ends something.
func EndsByPath(path string) bool {
	return slices.ContainsFunc(lex.VerbWords(path), func(w string) bool { return IsPlain(w) || w == "revoke" })
}

// Wipes reports whether a verb about a noun wipes a database.
func Wipes(verb, noun string) bool { return lex.OneOf(verb, wiping) && lex.OneOf(noun, stored) }

// WipesData reports whether the words of one operand say that it wipes a database.
func WipesData(operand string) bool {
	words := lex.VerbWords(operand)
	if len(words) < 2 || lex.ContainsAny(words, "test cache dry") {
		return false
	}
	return lex.ContainsAny(words, stored) && lex.ContainsAny(words, wiping)
}
