// This file knows what people write who come from OData 2 and 3, SQL or JavaScript, and what stands for it in OData 4, so that a
// refusal can say it. Nothing here is ever understood as if it were right.

type Advice = readonly [pattern: RegExp, instead: string];

/** What may stand where an expression goes wrong; `$1` is what the pattern has caught. */
const IN_EXPRESSIONS: readonly Advice[] = [
  [/^datetime(?:offset)?'([^']*?)Z?'/i, '$1Z, without a name and quotes'],
  [/^guid'([^']*)'/i, '$1, without a name and quotes'],
  [/^time'([^']*)'/i, "duration'$1'"],
  [/^"([^"]*)"/, "'$1' in single quotes"],
  [/^(?:===?|=(?!=))/, 'eq'],
  [/^(?:!==?|<>)/, 'ne'],
  [/^>=/, 'ge'],
  [/^<=/, 'le'],
  [/^>/, 'gt'],
  [/^</, 'lt'],
  [/^&&?/, 'and'],
  [/^\|\|?/, 'or, or concat(…,…) to join texts'],
  [/^!/, 'not'],
  [/^%/, 'mod'],
  [/^\*/, 'mul'],
  [/^\+/, 'add'],
  [/^i?like\b/i, "contains(…,'…'), startswith(…,'…') or endswith(…,'…')"],
  [/^is\s+not\s+null\b/i, 'ne null'],
  [/^is\s+null\b/i, 'eq null'],
  [/^not\s+in\b/i, 'not (… in (…))'],
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
  current_timestamp: 'now()',
  isnull: '… eq null',
  coalesce: 'case(… ne null:…,true:…)',
  iif: 'case(…:…,true:…)',
  if: 'case(…:…,true:…)',
  regexp: "matchesPattern(text,'…')",
};

const OPTIONS: Readonly<Record<string, string>> = {
  inlinecount: '$count=true',
  where: '$filter',
  groupby: '$apply=groupby((…))',
  limit: '$top',
  offset: '$skip',
  sort: '$orderby',
  fields: '$select',
  include: '$expand',
};

/** A sentence for the end of a message, about the text at which an expression went wrong; mostly nothing. */
export function adviceInExpression(text: string): string {
  for (const [pattern, instead] of IN_EXPRESSIONS) {
    const found = pattern.exec(text);
    if (found !== null) return write(instead.replace('$1', () => found[1] ?? ''));
  }
  return '';
}

/** The same for a function that does not exist. */
export function adviceForFunction(name: string): string {
  return adviceIn(FUNCTIONS, name);
}

/** The same for a query option that does not exist, with or without its $. */
export function adviceForOption(name: string): string {
  return adviceIn(OPTIONS, name.replace(/^\$/, ''));
}

function adviceIn(table: Readonly<Record<string, string>>, name: string): string {
  const instead = new Map(Object.entries(table)).get(name.toLowerCase());
  return instead === undefined ? '' : write(instead);
}

function write(instead: string): string {
  return ` Write ${instead}.`;
}
