// Package identity keeps roles with their policies and instance profiles. IAM is a global service:
// each region of an account lists the same roles, and their names are unique in the account.
package identity
