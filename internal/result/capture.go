// SPDX-License-Identifier: Apache-2.0

package result

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// Capture is a Writer that counts and hashes everything, and keeps the head and
// the tail of it in bounded memory.
type Capture struct {
	bytes     int64
	hash      hash.Hash
	head      []byte
	headLimit int
	tail      []byte // a ring once it has reached its limit
	tailLimit int
	oldest    int // index into the ring
}

// NewCapture returns a Capture that keeps at most limit bytes.
func NewCapture(limit int64) *Capture {
	head := int(max(limit, 0)) / 2
	return &Capture{hash: sha256.New(), headLimit: head, tailLimit: int(max(limit, 0)) - head}
}

// Write never fails.
func (c *Capture) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.hash.Write(p)
	n := min(len(p), c.headLimit-len(c.head))
	c.head = append(c.head, p[:n]...)
	c.keepTail(p[n:])
	return len(p), nil
}

func (c *Capture) keepTail(p []byte) {
	n := min(len(p), c.tailLimit-len(c.tail))
	c.tail = append(c.tail, p[:n]...)
	p = p[n:]
	if len(p) >= c.tailLimit {
		p = p[len(p)-c.tailLimit:]
		c.oldest = copy(c.tail, p) % max(c.tailLimit, 1)
		return
	}
	for len(p) > 0 {
		n := copy(c.tail[c.oldest:], p)
		c.oldest = (c.oldest + n) % c.tailLimit
		p = p[n:]
	}
}

// Stream returns what was written so far.
func (c *Capture) Stream() Stream {
	s := Stream{Bytes: c.bytes, SHA256: hex.EncodeToString(c.hash.Sum(nil))}
	tail := append(c.tail[c.oldest:len(c.tail):len(c.tail)], c.tail[:c.oldest]...)
	if int64(len(c.head)+len(tail)) == c.bytes {
		s.Data = append(c.head[:len(c.head):len(c.head)], tail...)
		s.Head = len(s.Data)
		return s
	}
	return s.with(c.head, tail)
}
