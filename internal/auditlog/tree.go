package auditlog

import (
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// Tree is a hash tree by its right edge, which is enough to add leaves and to compute the root.
type Tree struct {
	Size int64
	// Edge are the roots of the full subtrees that Size is made of, largest first: one for each bit of Size.
	Edge []Hash
}

// Node is a node of the tree: the root of the full subtree of 2^Level leaves that begins with leaf Index * 2^Level.
type Node struct {
	Level int
	Index int64
	Hash  Hash
}

// Until is the number of leaves of the smallest tree that has the node.
func (n Node) Until() int64 { return (n.Index + 1) << n.Level }

// kept is the distance in levels between the stored nodes: every 256th leaf completes one.
const kept = 8

// Append adds a leaf, and returns the nodes to store that it completes.
func (t *Tree) Append(leaf Hash) []Node {
	var nodes []Node
	hash, level := leaf, 0
	for index := t.Size; index&1 == 1; index >>= 1 {
		last := len(t.Edge) - 1
		hash, level = tlog.NodeHash(t.Edge[last], hash), level+1
		t.Edge = t.Edge[:last]
		if level%kept == 0 {
			nodes = append(nodes, Node{Level: level, Index: t.Size >> level, Hash: hash})
		}
	}
	t.Edge = append(t.Edge, hash)
	t.Size++
	return nodes
}

// ErrBrokenTree reports stored nodes that form no tree.
var ErrBrokenTree = errors.New("the edge of the tree does not fit its size")

// Check reports whether the edge has as many roots as the size asks for. Errors: ErrBrokenTree.
func (t Tree) Check() error {
	if t.Size < 0 || bits.OnesCount64(uint64(t.Size)) != len(t.Edge) {
		return ErrBrokenTree
	}
	return nil
}

// Root returns the hash of the whole tree; of an empty one the hash of nothing.
func (t Tree) Root() Hash {
	if t.Size == 0 {
		root, _ := tlog.TreeHash(0, nil)
		return root
	}
	last := len(t.Edge) - 1
	root := t.Edge[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(t.Edge[i], root)
	}
	return root
}

// halves splits the leaves of a tree as RFC 6962 does.
func halves(leaves []Hash) (left, right []Hash) {
	k := 1 << (bits.Len(uint(len(leaves)-1)) - 1)
	return leaves[:k], leaves[k:]
}

// RootOf is the root of the tree of some leaves.
func RootOf(leaves []Hash) Hash {
	switch len(leaves) {
	case 0:
		return Tree{}.Root()
	case 1:
		return leaves[0]
	}
	left, right := halves(leaves)
	return tlog.NodeHash(RootOf(left), RootOf(right))
}

// ProofOf is the way from a leaf up to the root of the tree of some leaves.
func ProofOf(leaves []Hash, index int) []Hash {
	if len(leaves) < 2 {
		return []Hash{}
	}
	left, right := halves(leaves)
	if index < len(left) {
		return append(ProofOf(left, index), RootOf(right))
	}
	return append(ProofOf(right, index-len(left)), RootOf(left))
}

// Stored reads stored hashes, count of them from an index on: leaves (level 0) and nodes of each eighth level.
type Stored func(level int, from, count int64) ([]Hash, error)

// ReadHashes returns nodes by their tlog numbers. A node between the stored levels is computed from the stored ones below it.
func (s Stored) ReadHashes(numbers []int64) ([]Hash, error) {
	hashes := make([]Hash, len(numbers))
	for i, number := range numbers {
		level, index := tlog.SplitStoredHashIndex(number)
		base := level / kept * kept
		width := int64(1) << (level - base)
		below, err := s(base, index*width, width)
		if err != nil {
			return nil, err
		}
		if int64(len(below)) != width {
			return nil, fmt.Errorf("%d hashes of level %d from %d on are kept, not %d: %w", len(below), base, index*width, width, ErrBrokenTree)
		}
		for ; len(below) > 1; below = below[:len(below)/2] {
			for pair := range len(below) / 2 {
				below[pair] = tlog.NodeHash(below[2*pair], below[2*pair+1])
			}
		}
		hashes[i] = below[0]
	}
	return hashes, nil
}

// Tree returns the tree of the first leaves, from the stored hashes.
func (s Stored) Tree(size int64) (Tree, error) {
	var numbers []int64
	for level, from := bits.Len64(uint64(size))-1, int64(0); level >= 0; level-- { //nolint:gosec // never negative
		if width := int64(1) << level; size&width != 0 {
			numbers, from = append(numbers, tlog.StoredHashIndex(level, from>>level)), from+width
		}
	}
	edge, err := s.ReadHashes(numbers)
	return Tree{Size: size, Edge: edge}, err
}

// Proof is the way from a leaf up to the root of a tree of a size.
func (s Stored) Proof(size, index int64) ([]Hash, error) {
	proof, err := tlog.ProveRecord(size, index, s)
	if err != nil {
		return nil, fmt.Errorf("prove leaf %d in the tree of %d: %w", index, size, err)
	}
	return proof, nil
}

// Contains reports whether the proof leads from the leaf to the checkpoint's root.
func (c Checkpoint) Contains(index int64, leaf Hash, proof []Hash) bool {
	return tlog.CheckRecord(proof, c.Size, c.Root, index, leaf) == nil
}
