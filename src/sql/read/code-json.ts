// This file compiles coded values to their precomputed JSON: the service knows the texts of codes, so the database returns the code alone
// or compares it with those of the list.
//     {"Text":"New","Value":7}    CASE t1."Status" WHEN 7 THEN '{"Text":"New","Value":7}' … ELSE … END
import type { Expression } from '../../bind/bound.ts';
import { codedParts } from '../../bind/expression/types.ts';
import type { ShapeMember, ValueForm } from '../../plan/read-plan.ts';
import type { Compiled } from '../dialect/dialect.ts';
import { type Fragment, integer, join, sql, tableName, text } from '../fragment.ts';
import { isNested, type Scope } from '../scope.ts';
import { precomputedMembers } from './code-texts.ts';
import { concat, nameText, type Piece } from './record-piece.ts';
import type { Format } from './record-template.ts';

/**
 * The precomputed JSON of a coded value with exactly Text and Value, which constants such as the type may precede; undefined if it does
 * not apply.
 */
export function precomputedCode(
  scope: Scope,
  content: Expression,
  members: readonly ShapeMember[],
  form: ValueForm,
): Piece | undefined {
  const coded = codedParts(content.type);
  if (coded === undefined || content.kind !== 'property' || form.ieee754Compatible) {
    return undefined;
  }
  const first = members.findIndex((member) => !isPlainConstant(member));
  const names = members
    .slice(first)
    .map((member) => (member.kind === 'value' && member.omit === undefined ? member.name : ''));
  if (names.join('\n') !== precomputedMembers(scope.layout.model)?.join('\n')) return undefined;
  const code = scope.value(scope, content);
  if (code.storage.kind !== 'integer') return undefined;
  const constants = members.slice(0, first).filter(isPlainConstant);
  const start = `{${constants.map(({ name, json }) => `${nameText(name).slice(1)}${json},`).join('')}`;
  const unknown = codeWithoutText(start, names, coded.value);
  const written = () => codeText(scope, content, form, code, { start, unknown });
  const texts = scope.layout.codeTexts?.get(form.language);
  if (texts === undefined) return written();
  const format: Format = { kind: 'code', texts, start, unknown };
  return { kind: 'cell', value: code.sql, format, text: written };
}

/** A member that is the same in every record. */
function isPlainConstant(member: ShapeMember): member is ShapeMember & { kind: 'constant' } {
  return member.kind === 'constant' && member.onType === undefined && member.when === undefined;
}

type CodeFormat = Pick<Format & { readonly kind: 'code' }, 'start' | 'unknown'>;

/** The text around a code that has been removed from its list: it keeps its value but has no text. */
function codeWithoutText(
  start: string,
  names: readonly string[],
  valueName: string,
): readonly [before: string, after: string] {
  const at = names.indexOf(valueName);
  const nulls = (some: readonly string[]) => some.map((one) => `${nameText(one)}null`).join('');
  const before = `${nulls(names.slice(0, at))}${nameText(valueName)}`;
  return [`${start}${before.slice(1)}`, `${nulls(names.slice(at + 1))}}`];
}

function codeText(
  scope: Scope,
  content: Expression,
  form: ValueForm,
  code: Compiled,
  { start, unknown: [before, after] }: CodeFormat,
): Fragment {
  const precomputed = sql`(SELECT ${text(start)} || "json" || '}' FROM ${tableName('docket_code_text')} WHERE "language" = ${text(form.language)} AND "value" = ${code.sql})`;
  const object = sql`coalesce(${precomputed}, ${concat(scope.dialect, [before, code.sql, after])})`;
  const cases = casesOf(scope, content, form, start);
  const json =
    cases.length === 0 ? object : sql`CASE ${code.sql}${join(cases, '')} ELSE ${object} END`;
  return code.nullable
    ? sql`(CASE WHEN ${code.sql} IS NULL THEN 'null' ELSE ${json} END)`
    : sql`(${json})`;
}

/** For lists with more codes than this, a lookup is faster than comparisons. */
const MAX_CASES = 20;

/**
 * A WHEN clause for each code of the list. Comparing some integers takes a quarter of the time of a table lookup. Used only in top-level
 * records, so that statements with many expansions do not become too long.
 */
function casesOf(
  scope: Scope,
  { type }: Expression,
  { language }: ValueForm,
  start: string,
): readonly Fragment[] {
  const { layout } = scope;
  const listName = type.kind === 'complex' ? type.codeList : undefined;
  const codes = layout.model.codeLists.get(listName ?? '')?.codes ?? [];
  if (codes.length > MAX_CASES || isNested(scope)) return [];
  const texts = layout.codeTexts?.get(language);
  return codes.flatMap(({ value: code }) => {
    const json = texts?.get(code);
    return json === undefined ? [] : [sql` WHEN ${integer(code)} THEN ${text(`${start}${json}}`)}`];
  });
}
