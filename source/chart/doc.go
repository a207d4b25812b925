// Package chart reads charts: folders of Kubernetes-style manifests of containers, networks,
// volumes, secrets and pods, made by text/template from values. It also reads plain manifest
// files and folders of them.
//
// It reports every problem at once, each with the line and column in the template that it comes
// from. Rendering is pure: it depends on the files and the given values alone. No position in a
// file becomes part of a resource's name, and no input makes it panic. It writes nothing.
//
// How a chart is read: values.go and set.go make the values; template.go parses the templates
// and marks every piece of them, so that trace.go knows where each byte of the rendered text is
// from; document.go reads the rendered text as YAML, whose nodes have the positions of the
// template; manifest.go and spec.go make source.Resources of it, by the schemas of the kinds.
// Package source checks them.
package chart
