package resource

import (
	"fmt"
	"math"
	"strconv"
)

// number reads an Int, or with a point or an exponent a Float.
func (p *parser) number() (Value, error) {
	start := p.i
	if p.b[p.i] == '-' {
		p.i++
	}
	zero := p.i < len(p.b) && p.b[p.i] == '0'
	if n := p.digits(); n == 0 || zero && n > 1 {
		return nil, p.bad("a number")
	}
	whole := true
	if p.i < len(p.b) && p.b[p.i] == '.' {
		whole = false
		p.i++
		if p.digits() == 0 {
			return nil, p.bad("a digit")
		}
	}
	if p.i < len(p.b) && p.b[p.i]|0x20 == 'e' {
		whole = false
		p.i++
		if p.i < len(p.b) && (p.b[p.i] == '+' || p.b[p.i] == '-') {
			p.i++
		}
		if p.digits() == 0 {
			return nil, p.bad("a digit")
		}
	}
	s := string(p.b[start:p.i])
	if !whole {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the number %.40s is out of range", s)
		}
		return Float(f), nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is out of range", s)
	}
	return Int(n), nil
}

func (p *parser) digits() int {
	start := p.i
	for p.i < len(p.b) && p.b[p.i] >= '0' && p.b[p.i] <= '9' {
		p.i++
	}
	return p.i - start
}
