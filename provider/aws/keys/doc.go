// Package keys keeps what protects and records: keys, secrets, certificates and groups of logs.
package keys
