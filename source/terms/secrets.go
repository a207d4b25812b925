package terms

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// SecretName reports whether the name of a variable, a tag or a key says that its value is a secret: db_password,
// apiKey, auth-token. A name that only contains such a word is another thing: token_bucket, secret_name.
func SecretName(name string) bool {
	words := wordsOf(name)
	for len(words) > 1 && variant.MatchString(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	last, before := words[len(words)-1], ""
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	switch last {
	case "key":
		return strings.Contains(" api private secret access signing encryption auth master ", " "+before+" ")
	case "pass":
		return strings.Contains(" db database user admin root smtp mysql postgres pg redis ", " "+before+" ")
	case "apikey", "secretkey", "privatekey", "accesskey", "dbpass":
		return true
	}
	return slices.Contains([]string{"secret", "token", "credential", "credentials"}, last) || IsPassword(name)
}

// IsPassword reports whether the name says that its value is a password, which people choose: it can be short.
func IsPassword(name string) bool {
	words := wordsOf(name)
	for len(words) > 1 && variant.MatchString(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && password.MatchString(words[len(words)-1])
}

var (
	password = regexp.MustCompile(`(?:password|passwd|passphrase|passwort|pwd)$`)
	// variant matches last words of a name that leave its meaning: password_prod, token_value.
	variant = regexp.MustCompile(`^(?:prod|production|staging|stage|dev|development|test|qa|old|new|current|previous|` +
		`value|plain|plaintext|text|primary|secondary|[0-9])$`)
)

// wordsOf returns the words of a name, in lower case: db_password, dbPassword, DB-PASSWORD.
func wordsOf(name string) (words []string) {
	runes, start := []rune(name), 0
	cut := func(end int) {
		if end > start {
			words = append(words, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]),
			i > start && unicode.IsDigit(r) && !unicode.IsDigit(runes[i-1]):
			cut(i)
			start = i
		}
	}
	cut(len(runes))
	return words
}
