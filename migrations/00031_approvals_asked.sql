-- +goose Up
-- How many approvals the policies that were in force when a version was written ask for it: what its message was given is held against
-- this when it is decided, shown for a decision, and by the auditor. 0 when no policy matched. A policy is in force from its row on, and a
-- message reads it a moment later, so of the moment and of one minute before the smaller number counts.
-- +goose StatementBegin
CREATE FUNCTION approvals_asked(of_realm text, of_message uuid, of_version integer) RETURNS integer
LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT coalesce(min(coalesce((
    SELECT p.approvals_required FROM policy p
    WHERE p.realm = m.realm AND p.created_at <= t.moment AND (p.retired_at IS NULL OR p.retired_at > t.moment)
      AND (p.client_id IS NULL OR p.client_id = m.client_id) AND (p.channel IS NULL OR p.channel = m.channel)
      AND (p.scheme IS NULL OR p.scheme = m.scheme) AND (p.kind IS NULL OR p.kind = m.kind)
      AND (p.amount_from IS NULL OR p.amount_from <= v.amount) AND (p.amount_to IS NULL OR p.amount_to >= v.amount)
    ORDER BY p.rank DESC, p.created_at DESC LIMIT 1), 0)), 0)
  FROM message m
  JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = of_version
  CROSS JOIN LATERAL (VALUES (v.created_at), (v.created_at - interval '1 minute')) AS t (moment)
  WHERE m.realm = of_realm AND m.message_id = of_message AND m.direction = 'out'
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION approvals_asked(text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION approvals_asked(text, uuid, integer) TO countersign_app, countersign_reader;

-- +goose Down
DROP FUNCTION approvals_asked(text, uuid, integer);
