package memory

import "github.com/kljensen/snowball/english"

// stem returns the stem of an English word in lower case, by the Snowball stemmer. Words of other
// languages and words with digits lose at most a few letters at their end, the same ones in a text
// and in a question.
func stem(word string) string { return english.Stem(word, true) }

// plain returns a word as it is. Digests by plain words stay the same when the stemmer changes.
func plain(word string) string { return word }
