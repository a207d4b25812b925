package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// fault is an error in the syntax of a JSON text, and how to correct it. At is its first byte.
type fault struct {
	at                  int
	summary, suggestion string
}

// The places of a JSON text, by the tokens that may follow.
type jsonPlace uint8

const (
	atValue jsonPlace = iota
	atFirstValue
	atFirstKey
	atKey
	atColon
	atComma
	atEnd
)

// jsonFaults finds the first fault of a text that is not valid JSON. It knows the usual ones only.
type jsonFaults struct {
	text  []byte
	off   int
	open  []int // the positions of the open brackets
	place jsonPlace
	comma int // the position of the last comma
	last  int // the end of the last token
}

// jsonFault returns the first fault of a text, or nil if it finds none.
func jsonFault(text []byte) *fault {
	f := &jsonFaults{text: text}
	for {
		for f.off < len(text) && strings.IndexByte(" \t\r\n", text[f.off]) >= 0 {
			f.off++
		}
		if f.off == len(text) || f.place == atEnd {
			if len(f.open) == 0 {
				return nil
			}
			last := f.open[len(f.open)-1]
			return &fault{
				len(text), "unexpected end of file",
				fmt.Sprintf("add a %s: the %c of line %d is not closed", closing(text[last]), text[last], f.line(last)),
			}
		}
		if found := f.token(text[f.off]); found != nil {
			return found
		}
		if f.off == f.last {
			return nil
		}
		f.last = f.off
	}
}

func closing(open byte) string {
	if open == '{' {
		return "}"
	}
	return "]"
}

func (f *jsonFaults) line(at int) int { return 1 + bytes.Count(f.text[:at], []byte{'\n'}) }

// token reads one token, or returns the fault at it.
func (f *jsonFaults) token(c byte) *fault {
	switch c {
	case '"':
		return f.str()
	case '{', '[':
		return f.begin(c)
	case '}', ']':
		return f.end(c)
	case ',':
		switch {
		case f.place == atValue && f.inObject():
			return &fault{f.last, "missing value", "add the value after the colon"}
		case f.place != atComma:
			return f.here("a comma too many", "remove the comma")
		}
		f.comma, f.place = f.off, atValue
		if f.inObject() {
			f.place = atKey
		}
	case ':':
		switch {
		case f.place == atComma && !f.inObject():
			return f.here("a key in a list", `use {"KEY": VALUE}`)
		case f.place != atColon:
			return f.here("a colon too many", "check the quotes of this line, and remove the colon")
		}
		f.place = atValue
	case '\'':
		return f.here("a text in single quotes", "use double quotes")
	case '/', '#':
		return f.here("a comment, which JSON does not have", "remove the comment, or write the file in YAML")
	default:
		return f.word()
	}
	f.off++
	return nil
}

func (f *jsonFaults) here(summary, suggestion string) *fault {
	return &fault{f.off, summary, suggestion}
}

func (f *jsonFaults) inObject() bool { return len(f.open) > 0 && f.text[f.open[len(f.open)-1]] == '{' }

// missing returns the fault of a key or a value that the place does not allow.
func (f *jsonFaults) missing() *fault {
	switch f.place {
	case atComma:
		return &fault{f.last, "missing comma", "add a comma after the value"}
	case atColon:
		return &fault{f.last, "missing colon", `use "KEY": VALUE, and check the quotes of the key`}
	}
	return nil
}

// str reads a text in quotes: a key or a value.
func (f *jsonFaults) str() *fault {
	if found := f.missing(); found != nil {
		return found
	}
	end := f.off + 1
	for ; end < len(f.text) && f.text[end] != '"'; end++ {
		if f.text[end] == '\n' {
			break
		}
		if f.text[end] == '\\' {
			end++
		}
	}
	if end >= len(f.text) || f.text[end] == '\n' {
		return f.here("missing closing quote", "close the quote")
	}
	f.off = end + 1
	f.read()
	return nil
}

// read moves the place behind a key or a value.
func (f *jsonFaults) read() {
	switch {
	case f.place == atKey || f.place == atFirstKey:
		f.place = atColon
	case len(f.open) == 0:
		f.place = atEnd
	default:
		f.place = atComma
	}
}

func (f *jsonFaults) begin(c byte) *fault {
	if found := f.missing(); found != nil {
		return found
	}
	if f.place == atKey || f.place == atFirstKey {
		return f.here("a bracket instead of a key", `use "KEY": VALUE in a block, and close the block above with }`)
	}
	f.open = append(f.open, f.off)
	f.place = atFirstValue
	if c == '{' {
		f.place = atFirstKey
	}
	f.off++
	return nil
}

func (f *jsonFaults) end(c byte) *fault {
	if len(f.open) == 0 {
		return f.here(fmt.Sprintf("%c without its opening bracket", c), "remove it")
	}
	last := f.open[len(f.open)-1]
	if want := closing(f.text[last]); want != string(c) {
		return f.here(fmt.Sprintf("%c instead of %s", c, want),
			fmt.Sprintf("add a %s before it: the %c of line %d is not closed", want, f.text[last], f.line(last)))
	}
	switch f.place {
	case atValue, atKey:
		if f.comma > last && f.comma == f.last-1 {
			return &fault{f.comma, fmt.Sprintf("a comma before %c", c), "remove the comma"}
		}
		return &fault{f.last, "missing value", "add the value after the colon"}
	case atColon:
		return f.missing()
	}
	f.open = f.open[:len(f.open)-1]
	f.place = atValue // read moves it behind the value that ends here
	f.off++
	f.read()
	return nil
}

// word reads a number, true, false or null.
func (f *jsonFaults) word() *fault {
	end := f.off
	for end < len(f.text) && strings.IndexByte(" \t\r\n,:]}[{\"'", f.text[end]) < 0 {
		end++
	}
	if found := f.missing(); found != nil {
		if f.off == f.last && f.text[f.last-1] == '"' { // the quote was meant to open the word, and closed a text
			return &fault{f.last - 1, "missing closing quote before this quote", "close the text before it"}
		}
		return found
	}
	word := string(f.text[f.off:end])
	switch {
	case f.place == atKey || f.place == atFirstKey:
		return f.here("a key without quotes", `quote the key: "KEY"`)
	case word == "true" || word == "false" || word == "null" || strings.Trim(word, "+-.0123456789eE") == "":
		f.off = end
		f.read()
		return nil
	case strings.EqualFold(word, "true") || strings.EqualFold(word, "false"):
		return f.here("true and false have lower-case letters in JSON", "use "+strings.ToLower(word))
	case word == "None":
		return f.here("JSON has no None", "use null, or remove the key")
	}
	return f.here("a text without quotes", `quote the text: "TEXT"`)
}
