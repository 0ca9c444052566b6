// This file defines the SQL functions that split texts into words as FTS5's unicode61 tokenizer does, for the word indexes of
// text-index.ts. Words are lower case without diacritics. In between they are text with a space before and after each word, ` a b `;
// ` | ` separates the columns of a row.
import {
  DIACRITICS,
  FOLDED_LETTERS,
  LETTERS_AFTER_FOLDING,
  UNCHANGED_LETTERS,
  WORD_RANGES,
} from './unicode61.ts';

/** The lexeme of rows whose words do not fit a tsvector. Words contain no space, so that no prefix finds it. */
export const LONG_TEXT = ' long';

/** The lexeme of rows whose words fit a tsvector, but not their positions. They are candidates for a phrase if they have its words. */
const NO_POSITIONS = ' many';

/** A lexeme that no row has, for words without letters or digits. */
const NO_WORD = ' none';

/**
 * Limits of tsvector: bytes of a lexeme, occurrences of a lexeme, positions, and bytes in total. PostgreSQL, "Text Search", "Limitations".
 */
const MAX_WORD_BYTES = 2046;
const MAX_OCCURRENCES = 255;
const MAX_POSITIONS = 16_382;
const MAX_BYTES = 1_000_000;

/** A text up to this length, in bytes, exceeds none of the limits. */
const SHORT_TEXT = 2 * MAX_OCCURRENCES;

/**
 * Characters that change are replaced one by one: texts contain few different ones, and translate() would compare each character of
 * the text with all letters that can change.
 */
const WORDS = `CREATE OR REPLACE FUNCTION docket_words(content text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $body$
DECLARE
  special text;
  letter text;
  place int;
BEGIN
  IF octet_length(content) > length(content) THEN
    special := regexp_replace(content COLLATE "C", '[${UNCHANGED_LETTERS}]+', '', 'g');
    WHILE special <> '' LOOP
      letter := left(special, 1);
      special := replace(special, letter, '');
      place := strpos('${FOLDED_LETTERS}', letter);
      IF place > 0 THEN
        content := replace(content, letter, substr('${LETTERS_AFTER_FOLDING}', place, 1));
      ELSIF strpos('${DIACRITICS}', letter) > 0 THEN
        content := replace(content, letter, '');
      ELSIF width_bucket(ascii(letter), '{${WORD_RANGES.join(',')}}'::int[]) % 2 = 0 THEN
        content := replace(content, letter, ' ');
      END IF;
    END LOOP;
  END IF;
  content := btrim(regexp_replace(lower(content COLLATE "C"), '[\\x01-\\x2f\\x3a-\\x60\\x7b-\\x7f]+', ' ', 'g'));
  RETURN CASE WHEN content = '' THEN ' ' ELSE ' ' || content || ' ' END;
END $body$`;

const TEXT_WORDS = `CREATE OR REPLACE FUNCTION docket_text_words(contents text[], OUT words tsvector, OUT texts text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $body$
DECLARE
  content text;
  all_words text := '';
  list text[];
BEGIN
  FOREACH content IN ARRAY contents LOOP
    all_words := all_words || coalesce(docket_words(content), ' ') || '|';
  END LOOP;
  IF octet_length(all_words) > ${SHORT_TEXT} THEN
    list := string_to_array(all_words, ' ');
    IF octet_length(all_words) + 6 * cardinality(list) > ${MAX_BYTES}
      OR EXISTS (SELECT 1 FROM unnest(list) word WHERE octet_length(word) > ${MAX_WORD_BYTES}) THEN
      words := '''${LONG_TEXT}''';
      texts := all_words;
      RETURN;
    ELSIF cardinality(list) > ${MAX_POSITIONS} OR EXISTS (
      SELECT 1 FROM unnest(list) word WHERE word <> '|' GROUP BY word COLLATE "C" HAVING count(*) > ${MAX_OCCURRENCES}
    ) THEN
      words := array_to_tsvector(array_remove(array_remove(list, '|'), '') || '${NO_POSITIONS}'::text);
      texts := all_words;
      RETURN;
    END IF;
  END IF;
  words := coalesce((
    SELECT string_agg('''' || word || ''':' || place, ' ')
    FROM string_to_table(all_words, ' ') WITH ORDINALITY one(word, place) WHERE word <> '|' AND word <> ''
  ), '');
END $body$`;

/**
 * The query of a search. \`query\` is the JSON of text-index.ts: \`{"words":"printer jam","prefix":true}\`, \`["&",…]\` or \`["|",…]\`.
 */
const WORD_QUERY = `CREATE OR REPLACE FUNCTION docket_word_query(query jsonb) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $body$
DECLARE
  list text[];
  ending text := CASE WHEN query -> 'prefix' = 'true' THEN ''':*' ELSE '''' END;
BEGIN
  IF jsonb_typeof(query) = 'array' THEN
    RETURN (
      SELECT string_agg('(' || docket_word_query(operand)::text || ')', query ->> 0)
      FROM jsonb_array_elements(query - 0) operand
    )::tsquery;
  END IF;
  list := string_to_array(btrim(docket_words(query ->> 'words')), ' ');
  IF list IN ('{}', '{""}') OR EXISTS (SELECT 1 FROM unnest(list) word WHERE octet_length(word) > ${MAX_WORD_BYTES}) THEN
    RETURN '''${NO_WORD}''';
  END IF;
  IF cardinality(list) = 1 THEN RETURN ('''' || list[1] || ending)::tsquery; END IF;
  RETURN (
    '''' || array_to_string(list, ''' <-> ''') || ending || ' | ''${NO_POSITIONS}'' & ''' || array_to_string(list, ''' & ''') || ending
  )::tsquery;
END $body$`;

const HAS_WORDS = `CREATE OR REPLACE FUNCTION docket_has_words(texts text, query jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $body$
DECLARE
  phrase text;
BEGIN
  IF query ->> 0 = '&' THEN
    RETURN (SELECT bool_and(docket_has_words(texts, operand)) FROM jsonb_array_elements(query - 0) operand);
  ELSIF query ->> 0 = '|' THEN
    RETURN (SELECT bool_or(docket_has_words(texts, operand)) FROM jsonb_array_elements(query - 0) operand);
  END IF;
  phrase := docket_words(query ->> 'words');
  RETURN phrase <> ' ' AND strpos(texts, CASE WHEN query -> 'prefix' = 'true' THEN rtrim(phrase) ELSE phrase END) > 0;
END $body$`;

/** Complete statements. Each function follows those that it calls. */
export const TEXT_ROUTINES: readonly string[] = [WORDS, TEXT_WORDS, WORD_QUERY, HAS_WORDS];
