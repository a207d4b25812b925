package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
)

// canAsk says early that nobody could answer, before anything is looked at.
func (c *call) canAsk() error {
	if c.cli.Bool("auto-approve") {
		return nil
	}
	if c.out.machine() {
		return usage("add --auto-approve, or apply a plan file: ovi plan --out FILE", "--output %s cannot ask for a yes", c.out.format)
	}
	if _, terminal := columnsOf(c.stdin); !terminal {
		return usage("add --auto-approve, or apply a plan file: ovi plan --out FILE", "there is no terminal to ask on")
	}
	return nil
}

// ask asks; only the word yes says yes. An interrupt is a no.
func (c *call) ask(question string) error {
	if _, err := fmt.Fprint(c.out.w, "\n"+question); err != nil {
		return err
	}
	if c.answer.unheard() {
		return usage("let the output go to a terminal, or add --auto-approve", "nobody can read the question: nothing was done")
	}
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.stdin).ReadString('\n')
		answer <- strings.TrimSpace(line)
	}()
	select {
	case <-c.Done():
		return context.Cause(c)
	case said := <-answer:
		if said == "yes" {
			return nil
		}
		return &problem{code: exitError, summary: fmt.Sprintf("%q is not yes: nothing was done", said)}
	}
}
