// This file leaves the rewriting of JSON documents to the service: SQL puts the rules before the document, between control characters
// that JSON text never contains, and resolveMarkers replaces them when the row arrives.
//     U+0001 {"of":"wide",…} U+0002 [9007199254740993] U+0003    ["9007199254740993"]
import { invariant } from '../../../base/fault.ts';
import { isJsonObject, parseExactJson, printJson } from '../../../edm/value/lossless-json.ts';
import { type Fragment, sql, text } from '../../fragment.ts';
import { DEFERRED_START } from '../../script.ts';
import type { MemberSelection } from '../dialect.ts';
import { type DocumentRules, rewriteDocument } from '../rewrite-document.ts';

const START = DEFERRED_START;
const MIDDLE = '\u0002';
const END = '\u0003';

/** Rules, and the members that replace the document; without a selection, the whole document does. */
interface Deferred {
  readonly rules: DocumentRules;
  readonly members?: MemberSelection;
}

export function deferredRewrite(json: Fragment, rules: string): Fragment {
  return marker(json, `{"rules":${rules}}`);
}

/**
 * `,` and a marker that becomes `"name":value` pieces separated by commas. If there are none, resolveMarkers also removes a comma, so
 * that the pieces around it are joined correctly.
 */
export function deferredMembers(
  object: Fragment,
  members: MemberSelection,
  rules: string,
): Fragment {
  const deferred = marker(object, `{"rules":${rules},"members":${JSON.stringify(members)}}`);
  return sql`(',' || ${deferred})`;
}

function marker(json: Fragment, deferred: string): Fragment {
  return sql`(${text(START + deferred + MIDDLE)} || ${json} || ${text(END)})`;
}

/** The text with all markers replaced, inner ones first. */
export function resolveMarkers(content: string): string {
  if (!content.includes(START)) return content;
  const pending: Pending[] = [{ deferred: undefined, text: '', skipsComma: false }];
  let at = 0;
  for (const match of content.matchAll(SEPARATOR)) {
    append(pending, content.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] === undefined) close(pending);
    else pending.push({ deferred: deferredOf(match[1]), text: '', skipsComma: false });
  }
  append(pending, content.slice(at));
  const [whole] = pending;
  invariant(whole !== undefined && pending.length === 1, 'a marker of a document has no end');
  return whole.text;
}

/** The start of a marker with its rules, or its end. */
const SEPARATOR = new RegExp(`${START}([^${MIDDLE}]*)${MIDDLE}|${END}`, 'g');

/** Text that has been read inside a marker. */
interface Pending {
  readonly deferred: Deferred | undefined;
  text: string;
  /** Whether a comma that follows is superfluous. */
  skipsComma: boolean;
}

function append(pending: readonly Pending[], piece: string): void {
  const last = pending.at(-1);
  if (last === undefined || piece === '') return;
  last.text += last.skipsComma && piece.startsWith(',') ? piece.slice(1) : piece;
  last.skipsComma = false;
}

function close(pending: Pending[]): void {
  const closed = pending.pop();
  const outer = pending.at(-1);
  invariant(closed?.deferred !== undefined && outer !== undefined, 'a marker has no start');
  const { rules, members } = closed.deferred;
  const rewritten = rewriteDocument(closed.text, rules);
  const replaced = members === undefined ? rewritten : selectMembers(rewritten, members);
  if (replaced !== '') append(pending, replaced);
  else if (outer.text.endsWith(',')) outer.text = outer.text.slice(0, -1);
  else outer.skipsComma = true;
}

function selectMembers(document: string, { only, except = [] }: MemberSelection): string {
  const object = parseExactJson(document);
  if (!isJsonObject(object)) return '';
  const names = only ?? Object.keys(object).filter((name) => !except.includes(name));
  return names
    .flatMap((name) => {
      const value = Object.hasOwn(object, name) ? object[name] : undefined;
      return value === undefined ? [] : [`${JSON.stringify(name)}:${printJson(value)}`];
    })
    .join(',');
}

/** Rules are constants of statements, so each is parsed once. */
const parsed = new Map<string, Deferred>();
const MAX_CACHED = 200;

function deferredOf(json: string): Deferred {
  const cached = parsed.get(json);
  if (cached !== undefined) return cached;
  const deferred = JSON.parse(json) as Deferred;
  if (parsed.size >= MAX_CACHED) parsed.clear();
  parsed.set(json, deferred);
  return deferred;
}
