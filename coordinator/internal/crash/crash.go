// Package crash lets a test end a coordinator between any two changes that outlast it. Outside of tests it does nothing.
package crash

// At is called before and after each commit, and after each file was written. Tests set it, while nothing else runs.
var At func()

// Point is called wherever a coordinator that dies leaves another state behind than one that dies before.
func Point() {
	if At != nil {
		At()
	}
}
