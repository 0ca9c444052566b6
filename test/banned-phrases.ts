// This file defines the phrases that must not appear in messages, comments and written pages, with what to write instead, and finds
// them. Most are words that are correct but not what an engineer would use.

import { parseAst } from 'vitest/node';

interface Phrase {
  /** An example that the pattern matches. */
  readonly name: string;
  /** Alternatives as a regular expression; a blank matches any white space, so that phrases are found across line ends. */
  readonly pattern: string;
  readonly instead: string;
}

const phrase = (name: string, pattern: string, instead: string): Phrase => ({
  name,
  pattern,
  instead,
});

export const PHRASES: readonly Phrase[] = [
  phrase('tell', 'tell|tells|telling|told', 'report, list, return, name, show, distinguish'),
  phrase(
    'refuse',
    'refuse|refuses|refused|refusing',
    'reject (requests), deny (rights), return 400',
  ),
  phrase('refusal', 'refusals?', 'error'),
  phrase('pass over', '(?:pass|passes|passed|passing) over', 'ignore, skip'),
  phrase('deed', 'deeds?', 'transaction, unit of work'),
  phrase('anew', 'anew', 'again, rebuild, recreate'),
  phrase('behind', 'behind', 'after, following, in, reached through'),
  phrase('stand for', '(?:stand|stands|stood|standing) (?:in|for)', 'be in, appear in, represent'),
  phrase('lead to', '(?:lead|leads|led|leading) to', 'point to, refer to, result in; target'),
  phrase('speak of', '(?:speak|speaks|spoke|spoken|speaking) of', 'refer to, contain, mention'),
  phrase('says', 'says', 'state, contain, define, specify'),
  phrase('what is asked', 'what (?:is|was|were) asked(?: for)?', 'the request, what is requested'),
  phrase('wish', 'wish|wishes|wished', 'preference, option'),
  phrase('whoever', 'whoever|who sends', 'clients that, a request that'),
  phrase('at hand', 'at hand', 'available'),
  phrase('at once', 'at once', 'immediately, at the same time, in one response'),
  phrase(
    'kept answer',
    'kept answers?|answers? that (?:is|are|was|were) given again|(?:give|gives|given) again',
    'cached response',
  ),
  phrase(
    'nobody has made before',
    'nobody has (?:made|asked for)(?: before)?',
    'cold requests, cache misses',
  ),
  phrase('give back', '(?:give|gives|gave|given|giving) back', 'return'),
  phrase('mend', 'mend|mends|mended|mending', 'fix'),
  phrase('look by key', 'looks? by keys?', 'lookup by key'),
  phrase('bring', 'bring|brings|brought|bringing', 'send, write, carry, update'),
  phrase('former', 'former|formerly', 'previous, old'),
  phrase(
    'shape of an address',
    'shapes? of (?:an?|the|one|its|their) (?:address|addresses|URLs?|writes?|requests?|body|bodies)|(?:known|same) shape',
    'URL template, normalized URL, template',
  ),
  phrase(
    'lifted literal',
    'lifted(?: literals?)?|lift (?:out|literals?|values?)',
    'extracted literal, parameter',
  ),
  phrase(
    'drawn number',
    'drawn numbers?|numbers? (?:is|are|was|were) drawn',
    'allocated number, sequence value',
  ),
  phrase('tidy', 'tidy|tidies|tidied|tidying', 'compact, compaction'),
  phrase('seat', 'seats?', 'session slot'),
  phrase('house', 'houses?', 'code base'),
  phrase('room', 'rooms?', 'module; space'),
  phrase('floor', 'floors?', 'layer; baseline'),
  phrase('corridor', 'corridors?', 'pipeline, path'),
  phrase('brake', 'brakes?|braked', 'throttle'),
];

interface Exception {
  /** The `name` of a phrase. */
  readonly phrase: string;
  /** Text that contains the phrase and is correct. */
  readonly text: RegExp;
  readonly because: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    phrase: 'refuse',
    text: /connections? (?:is |was |were )?refused/i,
    because: 'the name of a TCP error',
  },
  { phrase: 'deed', text: /deed text NOT NULL/, because: 'a column of existing installations' },
  { phrase: 'refuse', text: /log-in refused/, because: 'a kind of audit entry, which is stored' },
  {
    phrase: 'behind',
    text: /behind (?:an? |the |such a )?(?:reverse )?prox(?:y|ies)/i,
    because: 'the usual term',
  },
  {
    phrase: 'behind',
    text: /(?:leaves?|leaving|left)(?: \S+)? behind/i,
    because: 'the usual term for remains',
  },
  {
    phrase: 'says',
    text: /(?:RFC \d+|OData|the standard|ITIL|POSIX) says/,
    because: 'quotes a standard',
  },
  { phrase: 'deed', text: /"deed"/, because: 'a column of the change log, in SQL' },
  { phrase: 'floor', text: /printer on the first floor/, because: 'a floor, in demo data' },
  { phrase: 'says', text: /the back says 'do not touch'/, because: 'a text, in demo data' },
  {
    phrase: 'at once',
    text: /at once\W{1,4}(?:or)?\W{1,4}at the next start/,
    because: 'a value of the set Settings',
  },
];

/** A part of a file that people read, with the same length and line ends as the file: everything else is masked. */
export type Prose = string;

interface Hit {
  readonly line: number;
  readonly phrase: Phrase;
  readonly found: string;
}

/** Replaces each character by one that no phrase contains, except for line ends. */
function mask(text: string): string {
  return text.replace(/[^\s]/g, '\u0001');
}

/** Keeps the given spans of a text and masks the rest. */
function keepSpans(text: string, spans: readonly (readonly [start: number, end: number])[]): Prose {
  let kept = '';
  let at = 0;
  for (const [start, end] of spans) {
    kept += mask(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return kept + mask(text.slice(at));
}

interface Literal {
  readonly start: number;
  readonly end: number;
  readonly isText: boolean;
}

/** String literals, parts of templates and regular expressions, in order. */
function literalsOf(file: string, text: string): readonly Literal[] {
  const found: Literal[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { type, start, end, value: content } = value as Readonly<Record<string, unknown>>;
    const isLiteral = type === 'Literal' && (typeof content === 'string' || 'regex' in value);
    if ((isLiteral || type === 'TemplateElement') && typeof start === 'number')
      found.push({ start, end: Number(end), isText: !('regex' in value) });
    for (const child of Object.values(value)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' }, file));
  return found.sort((one, other) => one.start - other.start);
}

/** The string literals and templates of a source file that are parts of sentences rather than names: those with a blank beside a letter. */
export function messagesOf(file: string, text: string): Prose {
  const isProse = ({ start, end, isText }: Literal) =>
    isText && /[a-z]\s|\s[a-z]/i.test(text.slice(start, end));
  const literals = literalsOf(file, text).filter(isProse);
  return keepSpans(
    text,
    literals.map(({ start, end }) => [start, end]),
  );
}

/** The comments of a source file, without comment marks and code in backticks. */
export function commentsOf(file: string, text: string): Prose {
  let code = text;
  for (const { start, end } of literalsOf(file, text))
    code =
      code.slice(0, start) + code.slice(start, end).replace(/[^\n]/g, '\u0001') + code.slice(end);
  const comments = [...code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)];
  const kept = keepSpans(
    text,
    comments.map(({ index, 0: comment }) => [index, index + comment.length]),
  );
  const isMark = /(^[ \t]*|\S[ \t]+)(\/\/|\/\*\*?|\*\/|\*)/gm;
  return withoutCode(kept.replace(isMark, (_, before, mark) => before + ' '.repeat(mark.length)));
}

/** A Markdown page without code, addresses of links, and the titles of tests that it names. */
export function pageProse(text: string): Prose {
  return withoutCode(
    text
      .replace(/^```[\s\S]*?^```/gm, mask)
      .replace(/`test\/[^`]+`: [^|\n]+?(?=<br>|; `| ?\||\)|\n)/g, mask)
      .replace(/\]\([^)]*\)/g, mask),
  );
}

function withoutCode(text: string): string {
  return text.replace(/`[^`\n]*`/g, mask);
}

/** Phrases found in a text, in order, without those that an exception permits. */
function findPhrases(prose: Prose): readonly Hit[] {
  const matches = PHRASES.flatMap((phrase) => {
    const words = `(?<![\\w.$@#/-])(?:${phrase.pattern})(?![\\w(/]|\\.\\w)`.replaceAll(' ', '\\s+');
    const all = [...prose.matchAll(new RegExp(words, 'gi'))];
    return all.map(({ index, 0: found }) => ({ index, phrase, found }));
  });
  return matches
    .filter(({ index, phrase, found }) => exceptionFor(phrase, prose, index, found) === undefined)
    .sort((one, other) => one.index - other.index)
    .map(({ index, phrase, found }) => ({
      line: prose.slice(0, index).split('\n').length,
      phrase,
      found: found.replace(/\s+/g, ' '),
    }));
}

/** The exception that permits a phrase where it is. */
function exceptionFor(
  phrase: Phrase,
  prose: Prose,
  index: number,
  found: string,
): Exception | undefined {
  const from = Math.max(0, index - 40);
  const around = prose.slice(from, index + found.length + 40).replace(/\s/g, ' ');
  const covers = ({ text }: Exception) =>
    [...around.matchAll(new RegExp(text.source, `${text.flags}g`))].some(
      (match) =>
        match.index <= index - from && match.index + match[0].length >= index - from + found.length,
    );
  return EXCEPTIONS.find((exception) => exception.phrase === phrase.name && covers(exception));
}

/** Hits as lines `file:line: phrase → use …`. */
export function reportHits(file: string, prose: Prose): readonly string[] {
  return findPhrases(prose).map(
    ({ line, phrase, found }) => `${file}:${line}: ${found} → use ${phrase.instead}`,
  );
}
