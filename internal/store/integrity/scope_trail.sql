-- The rows of the audit trail that tell of no move.
WITH audit_event AS NOT MATERIALIZED (SELECT * FROM public.audit_event WHERE sequence IS NULL)
