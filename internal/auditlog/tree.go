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

// tileWidth is the number of successive stored hashes that are read together: those below a stored node.
const tileWidth = 1 << kept

// Stored reads the stored hashes of a tree in tiles, and computes the nodes between the stored levels from them. It caches tiles.
type Stored struct {
	read  func(level int, from, count int64) ([]Hash, error)
	tiles map[[2]int64][][]Hash
}

// maxTiles limits the cached tiles; each takes 16 kB.
const maxTiles = 1000

// NewStored makes a reader of leaves (level 0) and nodes of each eighth level: read returns up to count of them from an index on.
func NewStored(read func(level int, from, count int64) ([]Hash, error)) *Stored {
	return &Stored{read: read, tiles: map[[2]int64][][]Hash{}}
}

// tile returns the stored hashes of a tile, and above them the full nodes of each level below the next stored one.
func (s *Stored) tile(level int, index int64) ([][]Hash, error) {
	key := [2]int64{int64(level), index}
	if tile, known := s.tiles[key]; known {
		return tile, nil
	}
	below, err := s.read(level, index*tileWidth, tileWidth)
	if err != nil {
		return nil, err
	}
	tile := [][]Hash{below}
	for range kept - 1 {
		above := make([]Hash, len(below)/2)
		for i := range above {
			above[i] = tlog.NodeHash(below[2*i], below[2*i+1])
		}
		tile, below = append(tile, above), above
	}
	if len(s.tiles) >= maxTiles {
		clear(s.tiles)
	}
	s.tiles[key] = tile
	return tile, nil
}

// ReadHashes returns nodes by their tlog numbers.
func (s *Stored) ReadHashes(numbers []int64) ([]Hash, error) {
	hashes := make([]Hash, len(numbers))
	for i, number := range numbers {
		level, index := tlog.SplitStoredHashIndex(number)
		above := level % kept
		width := int64(tileWidth >> above) // of this level in a tile
		tile, err := s.tile(level-above, index/width)
		if err != nil {
			return nil, err
		}
		row, place := tile[above], index%width
		if place >= int64(len(row)) {
			return nil, fmt.Errorf("the hashes below node %d of level %d are not kept: %w", index, level, ErrBrokenTree)
		}
		hashes[i] = row[place]
	}
	return hashes, nil
}

// Tree returns the tree of the first leaves, from the stored hashes.
func (s *Stored) Tree(size int64) (Tree, error) {
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
func (s *Stored) Proof(size, index int64) ([]Hash, error) {
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
