package store

// DropBatch is the largest number of rows of one deletion, to keep it short.
const DropBatch = 1000

// DropInBatches repeats a deletion of DropBatch rows until it finds fewer, and returns how many rows went.
func DropInBatches(drop func() (int64, error)) (int64, error) {
	var total int64
	for {
		dropped, err := drop()
		total += dropped
		if err != nil || dropped < DropBatch {
			return total, err
		}
	}
}
