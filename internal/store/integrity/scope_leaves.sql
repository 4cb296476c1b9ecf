-- The leaves of some realms, each from one on.
WITH audit_leaf AS NOT MATERIALIZED (SELECT l.* FROM unnest($1::text[], $2::bigint[]) AS s (realm, leaf)
  JOIN public.audit_leaf l ON l.realm = s.realm AND l.leaf_index >= s.leaf)
