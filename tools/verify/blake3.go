package main

import (
	"encoding/binary"
	"math/bits"
)

// The flags of BLAKE3's compression.
const (
	chunkStart, chunkEnd, parentNode, rootNode = 1, 2, 4, 8

	chunkSize, blockSize = 1024, 64
)

type words [8]uint32

func iv() words {
	return words{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19}
}

// blake3 is BLAKE3 with 32 bytes of output, unkeyed.
func blake3(b []byte) (out [32]byte) {
	for i, w := range node(b, 0, rootNode) {
		binary.LittleEndian.PutUint32(out[4*i:], w)
	}
	return out
}

// node is the chaining value over bytes that begin with a chunk of this number.
func node(b []byte, chunk, flags uint32) words {
	if len(b) <= chunkSize {
		return leaf(b, chunk, flags)
	}
	left := uint32(1) << (bits.Len(uint(len(b)-1)/chunkSize) - 1)
	var m [16]uint32
	l, r := node(b[:left*chunkSize], chunk, 0), node(b[left*chunkSize:], chunk+left, 0)
	copy(m[:8], l[:])
	copy(m[8:], r[:])
	return compress(iv(), m, 0, blockSize, parentNode|flags)
}

// leaf is the chaining value of one chunk.
func leaf(b []byte, chunk, flags uint32) words {
	cv, start := iv(), uint32(chunkStart)
	for {
		var bytes [blockSize]byte
		var m [16]uint32
		n := copy(bytes[:], b)
		for i := range m {
			m[i] = binary.LittleEndian.Uint32(bytes[4*i:])
		}
		if b = b[n:]; len(b) == 0 {
			return compress(cv, m, chunk, uint32(n), start|chunkEnd|flags)
		}
		cv, start = compress(cv, m, chunk, blockSize, start), 0
	}
}

func compress(cv words, m [16]uint32, chunk, size, flags uint32) (out words) {
	k := iv()
	v := [16]uint32{cv[0], cv[1], cv[2], cv[3], cv[4], cv[5], cv[6], cv[7], k[0], k[1], k[2], k[3], chunk, 0, size, flags}
	mix := func(a, b, c, d int, x, y uint32) {
		v[a] += v[b] + x
		v[d] = bits.RotateLeft32(v[d]^v[a], -16)
		v[c] += v[d]
		v[b] = bits.RotateLeft32(v[b]^v[c], -12)
		v[a] += v[b] + y
		v[d] = bits.RotateLeft32(v[d]^v[a], -8)
		v[c] += v[d]
		v[b] = bits.RotateLeft32(v[b]^v[c], -7)
	}
	for range 7 {
		for i := range 4 {
			mix(i, 4+i, 8+i, 12+i, m[2*i], m[2*i+1])
		}
		for i := range 4 {
			mix(i, 4+(i+1)%4, 8+(i+2)%4, 12+(i+3)%4, m[8+2*i], m[9+2*i])
		}
		old := m
		for i, from := range [16]int{2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8} {
			m[i] = old[from]
		}
	}
	for i := range out {
		out[i] = v[i] ^ v[i+8]
	}
	return out
}
