// Package manage has the commands by which an operator decides: adopt, forget, move, retry, bless, approve, import,
// policy and signer.
package manage
