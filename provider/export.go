package provider

import "github.com/ovi-project/ovi/resource"

// Export turns the resources of a stack into files with which another program manages the same ones.
type Export struct {
	Format, Doc string
	// Managed: the other program only starts what ovi manages; else it takes the resources over.
	Managed bool
	Files   func(stack string, all []resource.Desired) Exported
}

// Exported is the result of an Export.
type Exported struct {
	Files map[string]string // by name, relative to a folder
	Notes []ExportNote      // what the files cannot say
	Next  string            // what to do with the files; DIR is their folder
}

// ExportNote is something of a resource that the files of an export cannot say.
type ExportNote struct {
	Ref  resource.Ref
	Text string
}
