// Package api holds the common parts of all kinds of AWS resources: the region with its calls, waiting and
// trying again, the classes of errors, tags and marks, and the rules that configurations must keep. It
// knows no kind of resource. Errors are of package provider, and a call that may have changed something is
// never repeated unless AWS tells that it did not.
package api
