// This file suggests the OData 4 syntax for constructs of OData 2 and 3, SQL and JavaScript. It only produces hints for error
// messages; none of these constructs is accepted.

type Advice = readonly [pattern: RegExp, instead: string];

/** Matched against the text where an expression becomes invalid; `$1` is the captured group. */
const IN_EXPRESSIONS: readonly Advice[] = [
  [/^datetime(?:offset)?'([\d-]+)'/i, '$1T00:00:00Z, without prefix and quotes'],
  [/^datetime(?:offset)?'([^']*[+-]\d\d:\d\d)'/i, '$1, without prefix and quotes'],
  [/^datetime(?:offset)?'([^']*?)Z?'/i, '$1Z, without prefix and quotes'],
  [/^guid'([^']*)'/i, '$1, without prefix and quotes'],
  [/^time'(P[^']*)'/i, "duration'$1'"],
  [/^time'([^']*)'/i, '$1, without prefix and quotes'],
  [/^"([^"]*)"/, "'$1' in single quotes"],
  [/^[‘’‚“”„]([^‘’‚“”„]*)/u, "'$1' in plain single quotes"],
  [/^(?:===?|=(?!=))/, 'eq'],
  [/^(?:!==?|<>)/, 'ne'],
  [/^>=/, 'ge'],
  [/^<=/, 'le'],
  [/^>/, 'gt'],
  [/^</, 'lt'],
  [/^&&?/, 'and'],
  [/^%(?:2[0-9A-F]|3[A-F]|5[BD])/i, 'the URL with percent-encoding applied once, not twice'],
  [/^\|\|?/, 'or, or concat(…,…) to join strings'],
  [/^!/, 'not'],
  [/^%/, 'mod'],
  [/^\*/, 'mul'],
  [/^\+/, 'add'],
  [/^i?like\b/i, "contains(…,'…'), startswith(…,'…') or endswith(…,'…')"],
  [/^is\s+not\s+null\b/i, 'ne null'],
  [/^is\s+null\b/i, 'eq null'],
  [/^not\s+in\b/i, 'not (… in (…))'],
  [/^equals?\b/i, 'eq'],
  [/^(eq|ne|gt|ge|lt|le|in|and|or)(?=['\d(@])/i, '$1 followed by a space'],
  [/^(contains|startswith|endswith)\b/i, "$1(…,'…')"],
  [/^between\b/i, '… ge … and … le …'],
  [/^descending\b/i, 'desc'],
  [/^ascending\b/i, 'asc'],
];

const FUNCTIONS: Readonly<Record<string, string>> = {
  substringof: 'contains(text,part), with the arguments in reverse order',
  replace: 'concat and substring',
  substr: 'substring(text,start,length)',
  len: 'length(text)',
  lower: 'tolower(text)',
  lcase: 'tolower(text)',
  upper: 'toupper(text)',
  ucase: 'toupper(text)',
  getdate: 'now()',
  today: 'date(now())',
  count: '…/$count',
  current_timestamp: 'now()',
  isnull: '… eq null',
  coalesce: 'case(… ne null:…,true:…)',
  iif: 'case(…:…,true:…)',
  if: 'case(…:…,true:…)',
  regexp: "matchesPattern(text,'…')",
};

const SEGMENTS: Readonly<Record<string, string>> = {
  count: '$count',
  value: '$value',
  ref: '$ref',
  query: '$query',
};

const RESOURCES: Readonly<Record<string, string>> = {
  metadata: '$metadata',
  batch: '$batch',
  ping: '$ping',
  all: '$all',
  entity: '$entity?$id=…',
  crossjoin: '$crossjoin(…)',
};

const OPTIONS: Readonly<Record<string, string>> = {
  inlinecount: '$count=true',
  where: '$filter',
  groupby: '$apply=groupby((…))',
  limit: '$top',
  offset: '$skip',
  sort: '$orderby',
  order: '$orderby',
  query: '$search, or $filter',
  q: '$search',
  page: '$skip and $top',
  pagesize: '$top, or the header Prefer: maxpagesize=…',
  maxpagesize: '$top, or the header Prefer: maxpagesize=…',
  distinct: '$apply=groupby((…))',
  fields: '$select',
  include: '$expand',
};

/** Returns a hint, to be appended to a message, for the text at which an expression becomes invalid; '' if there is none. */
export function adviceInExpression(text: string): string {
  for (const [pattern, instead] of IN_EXPRESSIONS) {
    const match = pattern.exec(text);
    if (match !== null) return write(instead.replace('$1', () => doubleQuotes(match[1] ?? '')));
  }
  return '';
}

/** Escapes the text for a string literal, leaving quotes that are already doubled. */
function doubleQuotes(text: string): string {
  return text.replace(/'+/g, (quotes) => (quotes.length % 2 === 0 ? quotes : `${quotes}'`));
}

/** Returns a hint for text directly after a literal, as in `'O'Neil'` and `5d`. `previous` is the last character of the literal. */
export function adviceAfterLiteral(previous: string, text: string): string {
  if (previous === "'" && /^[\p{L}\p{N}]/u.test(text)) return ` Inside a string, write ' as ''.`;
  if (/\d/.test(previous) && /^[dfm](?![\w'])/i.test(text))
    return write('the number without a letter');
  return '';
}

/** The hint for a string without a closing quote. */
export const UNTERMINATED_STRING = ` Inside a string, write ' as '' and & as %26.`;

/** Returns a hint for an unknown name in an expression: a keyword, a call without parentheses, or a string without quotes. */
export function adviceForWord(word: string): string {
  const lower = word.toLowerCase();
  if (WITHOUT_ARGUMENTS.has(lower)) return write(`${lower}()`);
  if (lower === 'null' || lower === 'true' || lower === 'false')
    return word === lower ? '' : write(lower);
  if (/^-?p\d*\w*\d\w*[ymdhs]$/i.test(word)) return write(`duration'${word.slice(0, 40)}'`);
  return ` Strings need single quotes: '${word.slice(0, 40)}'.`;
}

const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['now', 'mindatetime', 'maxdatetime']);

/** Returns a hint for an unknown function. */
export function adviceForFunction(name: string): string {
  return adviceIn(FUNCTIONS, name);
}

/** Returns a hint for an unknown query option, with or without its $. */
export function adviceForOption(name: string): string {
  return adviceIn(OPTIONS, name.replace(/^\$/, ''));
}

/** Returns a hint for a path segment after a resource that lacks its $. */
export function adviceForSegment(name: string): string {
  return adviceIn(SEGMENTS, name);
}

/** Returns a hint for the first path segment if it lacks its $. */
export function adviceForResource(name: string): string {
  return adviceIn(RESOURCES, name);
}

function adviceIn(table: Readonly<Record<string, string>>, name: string): string {
  const instead = new Map(Object.entries(table)).get(name.toLowerCase());
  return instead === undefined ? '' : write(instead);
}

function write(instead: string): string {
  return ` Write ${instead}.`;
}
