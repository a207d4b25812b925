// Package code converts a root module of Terraform or OpenTofu, its *.tf files and their values, to a configuration of
// ovi. It is pure: it reads a file system and returns files. Each part of a module is converted, or listed with its
// position and the next step. Defaults of sensitive variables are in no file and in no message.
package code
