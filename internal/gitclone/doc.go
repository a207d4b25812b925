// Package gitclone runs the git program on a clone that is ovi's own, with an environment and settings of
// its own: no setting, hook or credential of the user's takes part, no protocol but that of the remote
// is used, no redirection is followed, and git and what it starts end with their context. Its errors show
// no token. A Journal is a file of a repository that only grows.
package gitclone
