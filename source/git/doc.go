// Package git reads configuration from a Git repository: any other source, whose files are those of a
// commit instead of a folder's.
//
// It runs the git program with an environment and settings of its own, fetches only what it needs into
// a clone of its own, and writes nowhere else. The version of what was read is the commit. A branch that
// was rewound is an error, and so is a commit without a trusted signature where one is asked for:
// nothing is concluded from either. Files are read from Git's objects, never from a checkout: no link is
// followed, no hook and no filter runs. The package knows no syntax and no provider.
package git
