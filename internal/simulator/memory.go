package simulator

// memory is a map of limited size that forgets its oldest key first.
type memory[V any] struct {
	limit  int
	values map[string]V
	keys   []string // in the order they came; a ring once the limit is reached
	oldest int
}

func newMemory[V any](limit int) memory[V] {
	return memory[V]{limit: limit, values: make(map[string]V)}
}

func (m *memory[V]) get(key string) (V, bool) {
	value, found := m.values[key]
	return value, found
}

func (m *memory[V]) put(key string, value V) {
	_, known := m.values[key]
	m.values[key] = value
	if known {
		return
	}
	if len(m.keys) < m.limit {
		m.keys = append(m.keys, key)
		return
	}
	delete(m.values, m.keys[m.oldest])
	m.keys[m.oldest] = key
	m.oldest = (m.oldest + 1) % m.limit
}
