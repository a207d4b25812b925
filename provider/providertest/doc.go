// Package providertest holds providers to their promises. A provider's own test opens a
// Harness on an empty world and calls Run; what the suite finds is what the engine relies on.
//
// It knows the contract of package provider and nothing of any one provider: kinds, sample
// wishes and the ways to do harm come in with the Harness.
package providertest
