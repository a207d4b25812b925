// A program that checks the proofs of `ovi prove` without ovi: it imports the standard library only.
module github.com/ovi-project/ovi/tools/verify

go 1.26.8
