// Package aws makes wishes true in Amazon Web Services: networks, instances, volumes,
// databases and buckets of one region.
//
// It promises: everything it makes carries ovi's tags from the first moment; the same key
// twice makes one thing; a look at a region is complete or it is an error; it never switches
// a protection off unless the wish says so. It does no I/O before it is first asked to.
//
// It is the only package that knows the AWS SDK. It knows neither the engine, nor the
// record, nor other providers, nor which of its answers come from a practice cloud.
package aws
