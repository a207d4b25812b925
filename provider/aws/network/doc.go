// Package network keeps networks: VPCs, subnets, security groups and their rules, gateways, route tables, addresses,
// network interfaces and endpoints.
package network
