package code

import "testing"

func TestEverySetIsThere(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, set := range Sets() {
		listed[set.Name()] = true
	}
	for name, set := range map[string]Set{
		"ExternalAcceptedReason1Code": AcceptedReasons, "ExternalCashClearingSystem1Code": CashClearingSystems,
		"ExternalCategoryPurpose1Code": CategoryPurposes, "ExternalClearingSystemIdentification1Code": ClearingSystems,
		"ExternalCreditorReferenceType1Code": CreditorReferenceTypes, "ExternalLocalInstrument1Code": LocalInstruments,
		"ExternalPaymentGroupStatus1Code": GroupStatuses, "ExternalPaymentTransactionStatus1Code": TransactionStatuses,
		"ExternalPurpose1Code": Purposes, "ExternalReturnReason1Code": ReturnReasons, "ExternalServiceLevel1Code": ServiceLevels,
		"ExternalStatusReason1Code": StatusReasons, "ExternalCancellationReason1Code": CancellationReasons,
		"ExternalInvestigationExecutionConfirmation1Code": InvestigationConfirmations,
		"ExternalPaymentCancellationRejection1Code":       CancellationRejections,
		"ExternalPendingProcessingReason1Code":            PendingReasons, "ExternalReceivedReason1Code": ReceivedReasons,
		"ExternalRejectedReason1Code": RejectedReasons, "ExternalVerificationReason1Code": VerificationReasons,
	} {
		codes := set.All()
		if !listed[name] || len(listed) != 19 {
			t.Errorf("%s is not among the %d listed sets", name, len(listed))
		}
		if set.Name() != name || len(codes) == 0 {
			t.Errorf("%s is named %q with %d codes", name, set.Name(), len(codes))
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
