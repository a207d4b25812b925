package language

// Evaluating adds a value to those that are being evaluated. The function that it returns removes the value.
func Evaluating(l *Language, name string) (end func()) {
	return l.evaluating.begin(l.opts.Prefix, name)
}

// OnItself explains that a value which is being evaluated depends on itself.
func OnItself(l *Language, name string) string { return l.evaluating.onItself(l.opts.Prefix, name) }
