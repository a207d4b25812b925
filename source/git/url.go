package git

import "github.com/ovi-project/ovi/internal/gitclone"

// URL names a source in a repository.
type URL = gitclone.URL

// Is reports whether a source is named by a URL of this package.
func Is(source string) bool { return gitclone.IsURL(source) }

// Parse reads a URL. It refuses what git or ssh could take for an option, and secrets: the URL is recorded.
func Parse(text string) (URL, error) { return gitclone.ParseURL(text) }
