package git

import "fmt"

// RewoundError is a branch whose newest commit is not based on the one that was read last:
// an older or another history.
type RewoundError struct {
	Last, Head string
	In         URL
}

func (e *RewoundError) Error() string {
	return fmt.Sprintf("%s was rewound: commit %.12s is not based on %.12s, which was read last", e.In, e.Head, e.Last)
}

// Suggestion is what to do next.
func (e *RewoundError) Suggestion() string {
	return fmt.Sprintf("push %.12s again, or accept the new history with --accept-commit %s", e.Last, e.Head)
}

// UnsignedError is a commit without a trusted signature.
type UnsignedError struct {
	Commit string
	In     URL
	Err    error
}

func (e *UnsignedError) Error() string {
	return fmt.Sprintf("commit %.12s of %s has no trusted signature: %s", e.Commit, e.In, e.Err)
}

func (e *UnsignedError) Unwrap() error { return e.Err }

// Suggestion is what to do next.
func (e *UnsignedError) Suggestion() string {
	return "sign the commit with `git commit -S`, or add the key to the file of --signers"
}

// MissingError is a ref or a path that a repository does not have.
type MissingError struct {
	What string
	In   URL
}

func (e *MissingError) Error() string { return fmt.Sprintf("%s has no %s", e.In, e.What) }

// Suggestion is what to do next.
func (e *MissingError) Suggestion() string {
	return "check the URL: git+https://HOST/REPOSITORY//PATH?ref=BRANCH"
}
