// Package rules holds the tests of the rules that the source keeps: who may import whom, which
// files a feature has, who starts programs, and what the documents name. It has no other code.
package rules
