package aws

// Operations lists the calls that the table of permissions knows.
func Operations() []string {
	var out []string
	for _, o := range operations() {
		out = append(out, o.call)
	}
	return out
}

// OwnedBy is ownedBy, for tags that only AWS can write.
func OwnedBy(tags map[string]string) string { return ownedBy(tags) }
