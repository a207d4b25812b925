// Package story tells from the record, as people tell it, why a thing is as it is: what was
// seen and when, what differed, which rule decided, which policy said what, who said yes, who
// held the claim, what was called, how it ended, and what has been seen since. It also tells
// what the world changed from what the config changed.
//
// It is pure: records come in, sentences and sections go out; the time is a value. It does
// not know how the story is shown, nor where the records came from.
package explain
