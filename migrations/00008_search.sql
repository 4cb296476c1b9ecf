-- +goose Up
-- Lists and the search by words.

-- What people type into a search is found whatever its case, accents and spaces. "ü" is found by "u" and by "ue".
-- +goose StatementBegin
CREATE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT AS $$
  SELECT CASE
    WHEN octet_length(said) = length(said) AND position('  ' IN said) = 0 AND said = translate(said, E'\t\n\r\f\v', '') THEN lower(said)
    ELSE lower(regexp_replace(translate(
      replace(replace(replace(replace(replace(normalize(replace(said, '’', ''''), NFD), 'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'),
        'Œ', 'oe'),
      'łŁđĐøØı' || U&'\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0326\0327\0328', 'llddooi'), '\s+', ' ', 'g')) END
$$;
-- +goose StatementEnd

-- Whether a text holds what is looked for, or a text without spaces holds it without spaces.
-- +goose StatementBegin
CREATE FUNCTION search_hit(needle text, compact text, said text, numbers text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(position(search_fold(needle) IN search_fold(said)) > 0, false)
    OR octet_length(said) > length(said) AND coalesce(position(search_fold(needle) IN search_fold(
         replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'))) >
           0, false)
    OR coalesce(position(compact IN upper(translate(numbers, E' \t\n\r\f\v', ''))) > 0, false)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION search_tag(realm text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(encode(sha256(convert_to(realm, 'UTF8')), 'hex'), 4)
$$;
-- +goose StatementEnd

-- The words of a message as the program cuts them (internal/store): for what is stored already, and for filled databases.
-- +goose StatementBegin
CREATE FUNCTION search_words(said text, accounts text[]) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  (SELECT left(s.word, 32) COLLATE "C" AS word
   FROM regexp_split_to_table(search_fold(said) || ' ' || search_fold(
          replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue')),
            '[^a-z0-9]+')
        WITH ORDINALITY AS s (word, place)
   WHERE length(s.word) > 1
   GROUP BY left(s.word, 32) COLLATE "C" ORDER BY min(s.place) LIMIT 14)
  UNION
  SELECT '<' || left(reverse(lower(account)), 31) FROM unnest(accounts) account WHERE account <> ''
$$;
-- +goose StatementEnd

-- The messages of the transaction's realm with these words, so many at most. It works past row-level security, which lets no index but
-- plain comparisons be used, and asks for the realm itself; and it reads by that index whatever the planner believes of words it never
-- saw.
-- +goose StatementBegin
CREATE FUNCTION word_messages(asked text, before uuid, most integer) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off AS $$
  SELECT v.message_id FROM message_version v
  WHERE v.realm = current_setting('countersign.realm', true) AND v.words @@ asked::tsquery AND v.message_id < before LIMIT most
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION word_messages(text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION word_messages(text, uuid, integer) TO countersign_app;

-- A message with its current version, as every list and every single read takes it: one shape, so that one mapping serves all. The
-- security of the rows is that of who asks, not of the owner of the view.
CREATE VIEW message_listed WITH (security_invoker = true) AS
SELECT m.realm, m.message_id, m.global_id, m.kind, m.scheme, m.direction, m.channel, m.client_id, m.external_id, m.maker_user,
       m.policy_id, m.approvals_required, m.expires_at, m.original_id, m.answers_id, m.answer_by, m.deadline, m.reason, m.created_at,
       m.version, m.approvals, m.state, m.state_sequence, m.state_since, m.accepted_at, m.delivered_at, m.settled_at, m.status_code,
       m.status_text, m.inquiries,
       v.document_id, v.content_hash, v.makers, v.amount, v.currency, v.instruction_id, v.end_to_end_id, v.transaction_id, v.uetr,
       v.debtor_name, v.ordered_debtor_name, v.debtor_account, v.debtor_agent, v.creditor_name, v.creditor_account, v.creditor_agent,
       v.remittance, v.key_id, v.seal,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind || '' = 'recall'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS recall_state,
       coalesce((SELECT r.state FROM message r WHERE r.realm = m.realm AND r.original_id = m.message_id AND r.kind || '' = 'return'
                 ORDER BY r.message_id DESC LIMIT 1), '')::text AS return_state,
       coalesce(p.display_name, '')::text AS maker_name, coalesce(u.name, '')::text AS maker_login,
       v.clients, v.payee_result, v.payee_name, v.payee_at, v.message_id AS version_key, m.listed_amount,
       m.maker_person, m.execution_day
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
LEFT JOIN user_account u ON u.realm = m.realm AND u.user_id = m.maker_user
LEFT JOIN person p ON p.realm = u.realm AND p.person_id = u.person_id;
GRANT SELECT ON message_listed TO countersign_app, countersign_reader;
