// Package providertest is the conformance suite of providers: it holds any implementation to
// the contracts of package provider, on a system of its own that is empty at first. A
// provider's test opens that system and calls Run.
//
// Each case holds one promise. Find runs one case and returns what it finds, so that a test
// can show that the case fails for a provider that breaks that promise alone.
package providertest
