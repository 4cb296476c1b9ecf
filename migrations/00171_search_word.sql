-- +goose Up
-- What people look for among a million messages, found without reading them: the words of each message's other side and of its purpose, in
-- the order of the keys within a word, so that the newest ones of a word cost the same however many there are. Written with the version that
-- they are of; words that an amendment took away stay, and whoever looks compares what was found with the message itself. An account is a
-- word too, read backwards behind "<": people know its last digits. Nothing rests on these rows, so no key refers to them.
CREATE TABLE message_word (
  realm      text NOT NULL,
  word       text COLLATE "C" NOT NULL,
  message_id uuid NOT NULL,
  PRIMARY KEY (realm, word, message_id)
);
ALTER TABLE message_word ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_realm ON message_word USING (realm = current_setting('countersign.realm', true));
GRANT SELECT, INSERT ON message_word TO countersign_app;
GRANT SELECT ON message_word TO countersign_reader;

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
-- +goose StatementEnd

-- The other side of a payment is its creditor, of one that came in its debtor; what is asked about a payment has both.
INSERT INTO message_word (realm, word, message_id)
SELECT DISTINCT v.realm, w.word, v.message_id
FROM message m
JOIN message_version v ON v.realm = m.realm AND v.message_id = m.message_id AND v.version = m.version
CROSS JOIN LATERAL search_words(
  concat_ws(' ', CASE WHEN m.kind <> 'payment' THEN v.creditor_name END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_name END, v.remittance),
  ARRAY[CASE WHEN m.kind <> 'payment' THEN v.creditor_account ELSE '' END, CASE WHEN m.kind <> 'instruction' THEN v.debtor_account ELSE '' END]
) AS w (word);

-- +goose Down
DROP FUNCTION search_words(text, text[]);
DROP TABLE message_word;
