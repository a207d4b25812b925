// Package explain derives from the audit log how a resource came to its state: what was observed and when,
// what differed, which rule decided, which policy blocked it, who approved it, who had the claim, what was
// called, how it ended, and what has been observed since. It also separates drift from changes of the
// configuration.
//
// It is pure: records go in, sentences and sections come out; the time is a value. It does not
// know how an explanation is shown, nor where the records came from.
package explain
