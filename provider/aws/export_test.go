package aws

// Operations lists the calls that the table of permissions knows.
func Operations() []string {
	var out []string
	for _, o := range operations() {
		out = append(out, o.call)
	}
	return out
}
