// This file renders the canonical functions for PostgreSQL. Functions on collections, geo values and patterns are SQL functions.
import type { FunctionName } from '../../../bind/expression/functions.ts';
import { type Fragment, sql, word } from '../../fragment.ts';
import { BOOLEAN, DECIMAL, FLOATING, INTEGER } from '../../schema/value-storage.ts';
import type { Render } from '../dialect.ts';
import { call, isList, plain, resultOf, STANDARD_FUNCTIONS, sqlOf } from '../standard-functions.ts';
import { decimalText, numeric } from './values.ts';

/** A count or position, which PostgreSQL returns as a 32-bit integer. */
const count = (content: Fragment): Fragment => sql`CAST(${content} AS bigint)`;

/** A condition on two texts, or on two collections by an SQL function. */
const search =
  (onTexts: (content: Fragment, part: Fragment) => Fragment, onLists: Render): Render =>
  (content, part) =>
    isList(content)
      ? onLists(content, part)
      : resultOf([content, part], BOOLEAN, onTexts(sqlOf(content), sqlOf(part)));

const rounded =
  (decimal: 'round' | 'floor' | 'ceil', floating: string): Render =>
  (content) =>
    content?.storage.kind === 'floating'
      ? resultOf([content], FLOATING, call(floating, content))
      : resultOf(
          [content],
          DECIMAL,
          decimalText(sql`${word(decimal)}(${numeric(sqlOf(content))})`),
        );

export const POSTGRES_FUNCTIONS: Readonly<Record<FunctionName, Render>> = {
  ...STANDARD_FUNCTIONS,
  startswith: search(
    (content, part) => sql`starts_with(${content}, ${part})`,
    plain(BOOLEAN, 'docket_list_starts'),
  ),
  // LIKE can use a trigram index.
  contains: search(
    (content, part) => sql`(${content} LIKE '%' || docket_literal_pattern(${part}) || '%')`,
    (content, part) =>
      resultOf([content, part], BOOLEAN, sql`(${call('docket_list_index', content, part)} >= 0)`),
  ),
  endswith: search(
    (content, part) => sql`(${content} LIKE '%' || docket_literal_pattern(${part}))`,
    plain(BOOLEAN, 'docket_list_ends'),
  ),
  length: (content) =>
    resultOf(
      [content],
      INTEGER,
      count(
        isList(content)
          ? sql`json_array_length(CAST(${sqlOf(content)} AS json))`
          : call('length', content),
      ),
    ),
  indexof: (content, part) =>
    resultOf(
      [content, part],
      INTEGER,
      isList(content)
        ? count(call('docket_list_index', content, part))
        : count(sql`strpos(${sqlOf(content)}, ${sqlOf(part)}) - 1`),
    ),
  round: rounded('round', 'docket_round_floating'),
  floor: rounded('floor', 'floor'),
  ceiling: rounded('ceil', 'ceil'),
};
