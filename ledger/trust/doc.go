// Package trust says what the ledger proves. The log of this instance proves bindings and the deeds of
// operators; a row of the store alone proves nothing. In a store that instances share, the signature of an
// instance whose key is trusted proves what that instance recorded.
//
// The package reads the store and the log. It returns the events that certify a table or cosign a log, and
// the writer records them.
package trust
