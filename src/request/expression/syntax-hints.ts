// This file knows what people write who come from OData 2 and 3, SQL or JavaScript, and what stands for it in OData 4, so that a
// refusal can say it. Nothing here is ever understood as if it were right.

type Advice = readonly [pattern: RegExp, instead: string];

/** What may stand where an expression goes wrong; `$1` is what the pattern has caught. */
const IN_EXPRESSIONS: readonly Advice[] = [
  [/^datetime(?:offset)?'([\d-]+)'/i, '$1T00:00:00Z, without a name and quotes'],
  [/^datetime(?:offset)?'([^']*[+-]\d\d:\d\d)'/i, '$1, without a name and quotes'],
  [/^datetime(?:offset)?'([^']*?)Z?'/i, '$1Z, without a name and quotes'],
  [/^guid'([^']*)'/i, '$1, without a name and quotes'],
  [/^time'(P[^']*)'/i, "duration'$1'"],
  [/^time'([^']*)'/i, '$1, without a name and quotes'],
  [/^"([^"]*)"/, "'$1' in single quotes"],
  [/^[‘’‚“”„]([^‘’‚“”„]*)/u, "'$1' in plain single quotes"],
  [/^(?:===?|=(?!=))/, 'eq'],
  [/^(?:!==?|<>)/, 'ne'],
  [/^>=/, 'ge'],
  [/^<=/, 'le'],
  [/^>/, 'gt'],
  [/^</, 'lt'],
  [/^&&?/, 'and'],
  [/^%(?:2[0-9A-F]|3[A-F]|5[BD])/i, 'the address encoded once, not twice'],
  [/^\|\|?/, 'or, or concat(…,…) to join texts'],
  [/^!/, 'not'],
  [/^%/, 'mod'],
  [/^\*/, 'mul'],
  [/^\+/, 'add'],
  [/^i?like\b/i, "contains(…,'…'), startswith(…,'…') or endswith(…,'…')"],
  [/^is\s+not\s+null\b/i, 'ne null'],
  [/^is\s+null\b/i, 'eq null'],
  [/^not\s+in\b/i, 'not (… in (…))'],
  [/^equals?\b/i, 'eq'],
  [/^(eq|ne|gt|ge|lt|le|in|and|or)(?=['\d(@])/i, '$1 with a blank behind it'],
  [/^(contains|startswith|endswith)\b/i, "$1(…,'…')"],
  [/^between\b/i, '… ge … and … le …'],
  [/^descending\b/i, 'desc'],
  [/^ascending\b/i, 'asc'],
];

const FUNCTIONS: Readonly<Record<string, string>> = {
  substringof: 'contains(text,part), with its arguments the other way round',
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

/** A sentence for the end of a message, about the text at which an expression went wrong; mostly nothing. */
export function adviceInExpression(text: string): string {
  for (const [pattern, instead] of IN_EXPRESSIONS) {
    const found = pattern.exec(text);
    if (found !== null) return write(instead.replace('$1', () => doubled(found[1] ?? '')));
  }
  return '';
}

/** The text as it stands between single quotes. */
function doubled(text: string): string {
  return text.replace(/'+/g, (quotes) => (quotes.length % 2 === 0 ? quotes : `${quotes}'`));
}

/** The same for text that is glued to a literal: `'O'Neil'`, `5d`. `before` is the character before it. */
export function adviceBehind(before: string, text: string): string {
  if (before === "'" && /^[\p{L}\p{N}]/u.test(text))
    return ` A ' inside a text is written twice: ''.`;
  if (/\d/.test(before) && /^[dfm](?![\w'])/i.test(text))
    return write('the number without a letter');
  return '';
}

/** What is wrong where a text does not end. */
export const UNENDED_TEXT = ` A ' inside a text is written twice, an & as %26.`;

/** The same for a word in an expression that is the name of nothing: a keyword, a call without parentheses, a value without quotes. */
export function adviceForWord(word: string): string {
  const lower = word.toLowerCase();
  if (WITHOUT_ARGUMENTS.has(lower)) return write(`${lower}()`);
  if (lower === 'null' || lower === 'true' || lower === 'false')
    return word === lower ? '' : write(lower);
  if (/^-?p\d*\w*\d\w*[ymdhs]$/i.test(word)) return write(`duration'${word.slice(0, 40)}'`);
  return ` A text stands in single quotes: '${word.slice(0, 40)}'.`;
}

const WITHOUT_ARGUMENTS: ReadonlySet<string> = new Set(['now', 'mindatetime', 'maxdatetime']);

/** The same for a function that does not exist. */
export function adviceForFunction(name: string): string {
  return adviceIn(FUNCTIONS, name);
}

/** The same for a query option that does not exist, with or without its $. */
export function adviceForOption(name: string): string {
  return adviceIn(OPTIONS, name.replace(/^\$/, ''));
}

/** The same for the name of a path segment that lacks its $, behind a resource. */
export function adviceForSegment(name: string): string {
  return adviceIn(SEGMENTS, name);
}

/** The same where a path begins. */
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
