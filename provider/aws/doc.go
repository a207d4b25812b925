// Package aws reconciles resources of Amazon Web Services: networks, instances, volumes, databases
// and buckets of one region.
//
// It promises: everything it creates carries ovi's tags from the first moment; the same key twice
// creates one resource; a kind is observed in full or reported as unreachable; it turns no
// protection off unless the configuration does. It does no I/O before the first request.
//
// It and the packages below it alone know the AWS SDK. This package has the table of kinds and the
// accounts; what the areas share is in api. It knows neither the engine, nor the audit log,
// nor other providers, nor which of its answers come from a sandbox.
package aws

//go:generate go run ./callsgen
