package resource

import "errors"

// Advise adds to an error what the user can do about it. Its text stays as it is: screens show the
// suggestion on a line of its own.
func Advise(err error, suggestion string) error { return &advised{err, suggestion} }

type advised struct {
	error
	suggestion string
}

func (a *advised) Unwrap() error      { return a.error }
func (a *advised) Suggestion() string { return a.suggestion }

// Suggestion is what Advise, or another error with that method, says about an error; empty if
// nothing does.
func Suggestion(err error) string {
	var s interface{ Suggestion() string }
	if errors.As(err, &s) {
		return s.Suggestion()
	}
	return ""
}
