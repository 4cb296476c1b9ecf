-- +goose Up
-- What people look for among a million messages, found without reading them: the words of each version's other side and of its purpose. A
-- column and not rows of their own: a row for each word costs a payment ten times as much (12 µs of the server each, against 10 for
-- all), because the index takes its entries in batches. An account is a word too, read backwards behind "<": people know its last digits.
-- Each word begins with four digits of its realm's name, so that one realm's searches do not read another's rows. Nothing rests on the words:
-- whoever looks compares what was found with the message itself.
ALTER TABLE message_version ADD COLUMN words tsvector;

-- The words of a message as the program cuts them (internal/store/internal/word): for what is stored already, and for filled databases.
-- +goose StatementBegin
CREATE FUNCTION search_words(said text, accounts text[]) RETURNS SETOF text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  (SELECT left(s.word, 32) COLLATE "C" AS word
   FROM regexp_split_to_table(search_fold(said) || ' ' || search_fold(
          replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue')), '[^a-z0-9]+')
        WITH ORDINALITY AS s (word, place)
   WHERE length(s.word) > 1
   GROUP BY left(s.word, 32) COLLATE "C" ORDER BY min(s.place) LIMIT 14)
  UNION
  SELECT '<' || left(reverse(lower(account)), 31) FROM unnest(accounts) account WHERE account <> ''
$$;
CREATE FUNCTION search_tag(realm text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(encode(sha256(convert_to(realm, 'UTF8')), 'hex'), 4)
$$;
-- +goose StatementEnd

-- The other side of a payment is its creditor, of one that came in its debtor; what is asked about a payment has both. Versions of before there
-- were seals and grants do not pass the checks that ask for them, and stay as they are: those checks are away meanwhile.
-- +goose StatementBegin
DO $$
DECLARE
  checks text[] := ARRAY(SELECT format('ADD CONSTRAINT %I %s', c.conname, pg_get_constraintdef(c.oid)) FROM pg_constraint c
    WHERE c.conrelid = 'message_version'::regclass AND c.contype = 'c' AND NOT c.convalidated);
  names text[] := ARRAY(SELECT format('DROP CONSTRAINT %I', c.conname) FROM pg_constraint c
    WHERE c.conrelid = 'message_version'::regclass AND c.contype = 'c' AND NOT c.convalidated);
BEGIN
  EXECUTE 'ALTER TABLE message_version ' || array_to_string(names, ', ');
  UPDATE message_version v SET words = array_to_tsvector(ARRAY(SELECT search_tag(v.realm) || w.word FROM search_words(
    concat_ws(' ', CASE WHEN m.kind <> 'payment' THEN v.creditor_name END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_name END, v.remittance),
    ARRAY[CASE WHEN m.kind <> 'payment' THEN v.creditor_account ELSE '' END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_account ELSE '' END]
  ) AS w (word)))
  FROM message m WHERE m.realm = v.realm AND m.message_id = v.message_id;
  EXECUTE 'ALTER TABLE message_version ' || array_to_string(checks, ', ');
END
$$;
-- +goose StatementEnd

CREATE INDEX message_version_by_word ON message_version USING gin (words) WITH (fastupdate = on, gin_pending_list_limit = 512);

-- The messages of the transaction's realm with these words, so many at most. It works past row-level security, which lets no index but plain
-- comparisons be used, and asks for the realm itself; and it reads by that index whatever the planner believes of words it never saw.
-- +goose StatementBegin
CREATE FUNCTION word_messages(asked text, before uuid, most integer) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off SET enable_indexscan = off AS $$
  SELECT v.message_id FROM message_version v
  WHERE v.realm = current_setting('countersign.realm', true) AND v.words @@ asked::tsquery AND v.message_id < before LIMIT most
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION word_messages(text, uuid, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION word_messages(text, uuid, integer) TO countersign_app;

-- +goose Down
DROP FUNCTION word_messages(text, uuid, integer);
DROP INDEX message_version_by_word;
DROP FUNCTION search_tag(text);
DROP FUNCTION search_words(text, text[]);
ALTER TABLE message_version DROP COLUMN words;
