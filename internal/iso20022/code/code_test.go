package code

import "testing"

func TestEverySetIsThere(t *testing.T) {
	t.Parallel()
	sets := map[string]Set{}
	for _, set := range Sets() {
		sets[set.Name()] = set
	}
	for name, set := range map[string]Set{
		"ExternalCategoryPurpose1Code": CategoryPurposes, "ExternalPaymentGroupStatus1Code": GroupStatuses,
		"ExternalPaymentTransactionStatus1Code": TransactionStatuses, "ExternalPurpose1Code": Purposes,
		"ExternalReturnReason1Code": ReturnReasons, "ExternalOrganisationIdentification1Code": OrganisationIDs,
		"ExternalPersonIdentification1Code": PersonIDs, "ExternalStatusReason1Code": StatusReasons,
		"ExternalCancellationReason1Code": CancellationReasons, "ExternalPaymentCancellationRejection1Code": CancellationRejections,
	} {
		if sets[name] != set || len(sets) != 21 {
			t.Errorf("%s is not among the %d listed sets", name, len(sets))
		}
	}
	for name, set := range sets {
		codes := set.All()
		if len(codes) == 0 {
			t.Errorf("%s has no codes", name)
		}
		for i, definition := range codes {
			if definition.Text == "" || definition.Set != name || i > 0 && codes[i-1].Code >= definition.Code {
				t.Errorf("%s: %+v", name, definition)
			}
		}
	}
}

func TestFindKnowsTheCodesOfItsSetOnly(t *testing.T) {
	t.Parallel()
	for _, known := range []string{"AC04", "AM04", "CH17", "FF01", "DS02"} {
		if definition, found := StatusReasons.Find(known); !found || definition.Code != known || definition.Text == "" {
			t.Errorf("%s: %+v", known, definition)
		}
	}
	for _, unknown := range []string{"", "ZZZZ", "ac04", "INST"} {
		if definition, found := StatusReasons.Find(unknown); found {
			t.Errorf("%q is taken for %+v", unknown, definition)
		}
	}
	if GroupStatuses.Has("PNDG") || !GroupStatuses.Has("PDNG") {
		t.Error("the pending status of ISO is PDNG")
	}
}

// Sets returns all sets.
func Sets() (all []Set) {
	for file := range load() {
		all = append(all, Set{file})
	}
	return all
}
