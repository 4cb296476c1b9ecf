-- +goose Up
-- What people type into a search is found whatever its case, accents and spaces. "ü" is found by "u" and by "ue".
-- +goose StatementBegin
CREATE FUNCTION search_fold(said text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURNS NULL ON NULL INPUT AS $$
  SELECT regexp_replace(translate(replace(replace(replace(replace(lower(said), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), '’', ''''),
    'ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćČčĎďĐđĒēĖėĘęĚěĞğĢģĪīĮįİıĶķŁłĹĺĽľŃńŅņŇňŌōŐőŔŕŘřŚśŞşŠšȘșŢţŤťȚțŪūŮůŰűŲųŸŹźŻżŽž',
    'aaaaaaceeeeiiiinoooooouuuuyaaaaaaceeeeiiiinoooooouuuuyyaaaaaaccccddddeeeeeeeeggggiiiiiikkllllllnnnnnnoooorrrrssssssssttttttuuuuuuuuyzzzzzz'),
    '\s+', ' ', 'g')
$$;
-- +goose StatementEnd

-- Whether a text holds what is looked for, or a text without spaces holds it without spaces.
-- +goose StatementBegin
CREATE FUNCTION search_hit(needle text, compact text, said text, numbers text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(position(search_fold(needle) IN search_fold(said)) > 0
      OR position(search_fold(needle) IN search_fold(
           replace(replace(replace(replace(replace(replace(said, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue'), 'Ä', 'Ae'), 'Ö', 'Oe'), 'Ü', 'Ue'))) > 0, false)
    OR coalesce(position(compact IN upper(regexp_replace(numbers, '\s', '', 'g'))) > 0, false)
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION search_hit(text, text, text, text);
DROP FUNCTION search_fold(text);
