// Package sandbox is a sandbox AWS: the control planes of EC2, RDS, S3, STS, load
// balancing, autoscaling, the roles of IAM and one corner of Systems Manager, in one process or in one file, behind the
// real wire protocol. Plugged in as the SDK's HTTP transport it needs no
// account, no port and no daemon.
//
// It promises to behave as AWS documents where that matters to a provider:
// idempotency tokens, states that pass with time, pages counted in resources,
// refusals with AWS's codes, tags that merge or replace. What it
// ignores is in its request log. Each rule's comment names the page of
// AWS's documentation that it follows. Nothing here was ever compared with AWS
// itself: a belief that is wrong about AWS can be wrong here too.
//
// A cloud in a file FILE is several files: FILE, a journal of JSON lines;
// FILE.lock; FILE.requests, the request log; and FILE.faults.json, the faults
// that SaveFaults plans. OVI_SANDBOX_FAULTS (a JSON list of Fault) and
// OVI_SANDBOX_SETTLE (a duration) reach a cloud that a program opens.
//
// It does not know: signatures, what IAM allows, prices, quotas, anything that happens
// inside a machine. Any well-formed image id exists; any instance profile name
// exists.
package sandbox
