// Package bucket keeps buckets with their settings. It neither reads nor deletes objects. The name
// of a bucket is its ID, and it can be used again after a deletion. The key in the tag ovi:key
// therefore distinguishes a bucket from an earlier bucket of its name.
package bucket
