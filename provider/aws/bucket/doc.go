// Package bucket keeps buckets with their settings. It neither reads nor deletes objects.
package bucket
