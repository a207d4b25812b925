package code

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/ovi-project/ovi/resource/position"
)

// The limits of a module. Its files are not trusted.
const (
	maxFile    = 1 << 20 // bytes
	maxFiles   = 500     // of a folder
	maxNested  = 100     // brackets and templates that are open at once
	maxInlined = 1000    // uses of locals that stand for references
	maxChain   = 200     // operators in a row, which the parser reads one inside the other
)

// FileError is a file that cannot be read as a part of a module.
type FileError struct {
	At   position.Position
	Text string
}

// Error says what is wrong.
func (e *FileError) Error() string { return e.At.String() + ": " + e.Text }

// folder is the parsed files of a folder.
type folder struct {
	dir    string
	blocks []*hclsyntax.Block
	texts  map[string][]byte
}

// readFolder parses the *.tf files of a folder, in the order of their names.
func readFolder(files fs.FS, dir string, n *notes) (*folder, error) {
	names, err := list(files, dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: dir, texts: map[string][]byte{}}
	for _, name := range names {
		if strings.HasSuffix(name, ".tf.json") {
			n.add(position.Position{File: path.Join(dir, name)}, "the file is not read: it is JSON", "write it in HCL")
		}
		if strings.HasSuffix(name, ".tfvars.json") {
			n.add(position.Position{File: path.Join(dir, name)}, "the file is not read: it is JSON",
				"write it as a .tfvars file")
		}
		if !strings.HasSuffix(name, ".tf") {
			continue
		}
		if name == "override.tf" || strings.HasSuffix(name, "_override.tf") {
			n.add(position.Position{File: path.Join(dir, name)}, "the file is not read: it overrides other files",
				"write its values into them")
			continue
		}
		body, text, err := parse(files, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		f.texts[path.Join(dir, name)] = text
		for _, a := range sortedAttributes(body) {
			n.at(a.SrcRange, a.Name+" is not in a block", "remove it")
		}
		f.blocks = append(f.blocks, body.Blocks...)
	}
	return f, nil
}

func list(files fs.FS, dir string) ([]string, error) {
	entries, err := fs.ReadDir(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read the module: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) > maxFiles {
		return nil, &FileError{position.Position{File: dir}, fmt.Sprintf("the folder has more than %d files", maxFiles)}
	}
	slices.Sort(names)
	return names, nil
}

// parse reads one file.
func parse(files fs.FS, name string) (body *hclsyntax.Body, text []byte, err error) {
	in, err := files.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("read the module: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if about, err := in.Stat(); err != nil || !about.Mode().IsRegular() {
		return nil, nil, &FileError{position.Position{File: name}, "it is not a regular file"}
	}
	text, err = io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read the module: %w", err)
	}
	if len(text) > maxFile {
		return nil, nil, &FileError{position.Position{File: name}, "the file is larger than 1 MiB"}
	}
	body, err = parseText(text, name)
	return body, text, err
}

func parseText(text []byte, name string) (*hclsyntax.Body, error) {
	if err := shallow(text, name); err != nil {
		return nil, err
	}
	file, diags := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			at := position.Position{File: name}
			if d.Subject != nil {
				at = place(*d.Subject)
			}
			return nil, &FileError{at, strings.TrimSuffix(d.Summary+": "+oneLine(d.Detail), ".")}
		}
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		return nil, &FileError{position.Position{File: name}, "it is not HCL"}
	}
	return body, nil
}

// shallow rejects a text that the parser would read with too many calls inside each other.
func shallow(text []byte, name string) error {
	tokens, _ := hclsyntax.LexConfig(text, name, hcl.InitialPos)
	open, chain, questions, controls := 0, 0, 0, 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp:
			open++
		case hclsyntax.TokenTemplateControl:
			open++
			controls++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			open--
		case hclsyntax.TokenQuestion:
			questions++
		case hclsyntax.TokenNewline:
			if open <= 1 {
				questions = 0
			}
		}
		switch t.Type {
		case hclsyntax.TokenBang, hclsyntax.TokenMinus, hclsyntax.TokenOBrace, hclsyntax.TokenOBrack:
			chain++
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
		default:
			chain = 0
		}
		if open > maxNested || chain > maxChain || questions > maxChain || controls > maxChain {
			return &FileError{place(t.Range), "the file is nested too deeply"}
		}
	}
	return nil
}

func place(r hcl.Range) position.Position {
	return position.Position{File: r.Filename, Line: r.Start.Line, Column: r.Start.Column}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sortedAttributes are the attributes of a body, in their order in the file.
func sortedAttributes(body *hclsyntax.Body) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int { return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte })
	return out
}

// source is the text of an expression, in one line.
func (f *folder) source(r hcl.Range) string {
	text := f.texts[r.Filename]
	if r.End.Byte > len(text) || r.Start.Byte > r.End.Byte {
		return ""
	}
	return oneLine(string(text[r.Start.Byte:r.End.Byte]))
}
