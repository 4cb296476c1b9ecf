package api_test

import (
	"testing"

	"countersign/internal/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
