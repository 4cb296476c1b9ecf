-- +goose Up
-- The same answers for less: most texts have no accent, no umlaut and no two spaces, and are compared as they are; of the others the accents
-- are taken off, instead of looking for each letter among a hundred with them (a database may know the small letters of
-- plain ones only, so they come last). That is told only in UTF8, which names of people need anyway.
-- +goose StatementBegin
DO $$
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'this database is encoded as %: make one with ENCODING UTF8, and restore into it', current_setting('server_encoding');
  END IF;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE CALLED ON NULL INPUT AS $$
  SELECT CASE
    WHEN octet_length(said) = length(said) AND position('  ' IN said) = 0 AND said = translate(said, E'\t\n\r\f\v', '') THEN lower(said)
    ELSE lower(regexp_replace(translate(
      replace(replace(replace(replace(replace(normalize(replace(said, '’', ''''), NFD), 'ß', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe'),
      'łŁđĐøØı' || U&'\0300\0301\0302\0303\0304\0306\0307\0308\030A\030B\030C\0326\0327\0328', 'llddooi'), '\s+', ' ', 'g')) END
$$;
CREATE OR REPLACE FUNCTION search_hit(needle text, compact text, said text, numbers text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(position(search_fold(needle) IN search_fold(said)) > 0, false)
    OR octet_length(said) > length(said) AND coalesce(position(search_fold(needle) IN search_fold(
         replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'))) > 0, false)
    OR coalesce(position(compact IN upper(translate(numbers, E' \t\n\r\f\v', ''))) > 0, false)
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION search_hit(needle text, compact text, said text, numbers text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(position(search_fold(needle) IN search_fold(said)) > 0
      OR position(search_fold(needle) IN search_fold(
           replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'))) > 0, false)
    OR coalesce(position(compact IN upper(regexp_replace(numbers, '\s', '', 'g'))) > 0, false)
$$;
CREATE OR REPLACE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT AS $$
  SELECT regexp_replace(translate(replace(replace(replace(replace(lower(said), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '’', ''''),
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćČčĎďĐđĒēĖėĘęĚěĞğĢģĪīĮįİıĶķŁłĹĺĽľŃńŅņŇňŌōŐőŔŕŘřŚśŞşŠšȘșŢţŤťȚțŪūŮůŰűŲųŸŹźŻżŽž',
    'aaaaaaceeeeiiiinoooooouuuuyaaaaaaceeeeiiiinoooooouuuuyyaaaaaaccccddddeeeeeeeeggggiiiiiikkllllllnnnnnnoooorrrrssssssssttttttuuuuuuuuyzzzzzz'),
    '\s+', ' ', 'g')
$$;
-- +goose StatementEnd
