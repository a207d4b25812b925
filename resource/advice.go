package resource

import "errors"

// Advise adds a suggestion for the user to an error. The error's text does not change: screens show the
// suggestion on a separate line.
func Advise(err error, suggestion string) error { return &advised{err, suggestion} }

type advised struct {
	error
	suggestion string
}

func (a *advised) Unwrap() error      { return a.error }
func (a *advised) Suggestion() string { return a.suggestion }

// Suggestion returns the suggestion that Advise, or another error with that method, adds to an error; empty
// if there is none.
func Suggestion(err error) string {
	var s interface{ Suggestion() string }
	if errors.As(err, &s) {
		return s.Suggestion()
	}
	return ""
}
