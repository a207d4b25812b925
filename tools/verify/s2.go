package main

import (
	"encoding/binary"
	"errors"
)

// s2 decompresses one block into exactly size bytes.
func s2(src []byte, size int) ([]byte, error) {
	n, at := binary.Uvarint(src)
	if at <= 0 || n != uint64(size) {
		return nil, errors.New("its compressed payload is damaged")
	}
	d := block{src: src[at:], dst: make([]byte, 0, size)}
	for len(d.src) > 0 && !d.bad {
		d.next()
	}
	if d.bad || len(d.dst) != size {
		return nil, errors.New("its compressed payload is damaged")
	}
	return d.dst, nil
}

type block struct {
	src, dst []byte
	offset   int // of the last copy
	bad      bool
}

// number takes n bytes, little endian.
func (d *block) number(n int) (out int) {
	if d.bad = d.bad || len(d.src) < n; d.bad {
		return 0
	}
	for i := range n {
		out |= int(d.src[i]) << (8 * i)
	}
	d.src = d.src[n:]
	return out
}

// next decodes one element: a literal, or a copy of what came before.
func (d *block) next() {
	tag := d.number(1)
	length := tag>>2 + 1
	switch tag & 3 {
	case 0:
		if length > 60 {
			length = d.number(length-60) + 1
		}
		if d.bad = d.bad || length > len(d.src) || length > cap(d.dst)-len(d.dst); !d.bad {
			d.dst, d.src = append(d.dst, d.src[:length]...), d.src[length:]
		}
		return
	case 1:
		length = tag >> 2 & 7
		if offset := tag>>5<<8 | d.number(1); offset != 0 {
			d.offset = offset
		} else if length > 4 { // the offset of the last copy again
			length = d.number(length-4) + [...]int{4, 1 << 8, 1 << 16}[length-5]
		}
		length += 4
	case 2:
		d.offset = d.number(2)
	case 3:
		d.offset = d.number(4)
	}
	from := len(d.dst) - d.offset
	if d.bad = d.bad || d.offset <= 0 || from < 0 || length > cap(d.dst)-len(d.dst); d.bad {
		return
	}
	for i := range length { // byte by byte: it may copy what it just wrote
		d.dst = append(d.dst, d.dst[from+i])
	}
}
