// This file finds the examples in the written pages: blocks of HTTP, first what is sent, then what comes back. It compares an answer with the
// one that a page shows, in which … stands for anything.
import fs from 'node:fs';
import path from 'node:path';

export interface Example {
  /** `reading.md:42`. */
  readonly place: string;
  readonly method: string;
  /** Relative to the service root, as the page shows it. */
  readonly address: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  readonly answer: {
    readonly status: number;
    readonly headers: ReadonlyMap<string, string>;
    readonly body: string;
  };
}

interface Block {
  readonly line: number;
  readonly first: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** The examples of a page of docs/, in order. Raises an error for a block that belongs to no pair. */
export function readExamples(page: string): readonly Example[] {
  const text = fs.readFileSync(path.resolve(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```http\n([\s\S]*?)^```$/gm)].map((match) =>
    readBlock(match[1] ?? '', text.slice(0, match.index).split('\n').length),
  );
  const pairs = blocks.filter((_, index) => index % 2 === 0);
  return pairs.map((sent, index) => toExample(page, sent, blocks[index * 2 + 1]));
}

function readBlock(text: string, line: number): Block {
  const [head = '', ...rest] = text.split('\n\n');
  const [first = '', ...headers] = head.trimEnd().split('\n');
  return { line, first, headers: new Map(headers.map(splitHeader)), body: rest.join('\n\n') };
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function toExample(page: string, sent: Block, shown: Block | undefined): Example {
  const place = `${page}:${sent.line}`;
  const [, method, address] = /^([A-Z]+) (.+)$/.exec(sent.first) ?? [];
  const [, status] = /^HTTP\/1\.1 (\d{3})$/.exec(shown?.first ?? '') ?? [];
  if (!method || !address || !shown || !status) throw new Error(`${place} is no pair of blocks`);
  const { headers, body } = shown;
  const answer = { status: Number(status), headers, body };
  return { place, method, address, headers: sent.headers, body: sent.body, answer };
}

/** Where a text differs from the one shown: undefined where it fits. */
export function differsFrom(shown: string, given: string): string | undefined {
  const pieces = shown.split('…').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[\\s\\S]*')}$`).test(given)
    ? undefined
    : `${given} is not ${shown}`;
}

/** A body as shown, `…` without quotes included, as a value. */
export function readShown(body: string): unknown {
  return JSON.parse(body.replace(/(:\s*)…/g, '$1"…"'));
}

/** Every way in which a value lacks what is shown. Members that are not shown may be there; lists are as long as shown, save for ["…"]. */
export function lacks(shown: unknown, given: unknown, at = ''): readonly string[] {
  if (shown === '…') return given === undefined ? [`${at} is missing`] : [];
  if (typeof shown === 'string' && typeof given === 'string') {
    const difference = differsFrom(shown, given);
    return difference === undefined ? [] : [`${at}: ${difference}`];
  }
  if (Array.isArray(shown)) return lacksItems(shown, given, at);
  if (typeof shown !== 'object' || shown === null) {
    return shown === given
      ? []
      : [`${at}: ${JSON.stringify(given)} is not ${JSON.stringify(shown)}`];
  }
  if (typeof given !== 'object' || given === null) return [`${at} is no object`];
  const members = new Map(Object.entries(given));
  return Object.entries(shown).flatMap(([name, value]) =>
    lacks(value, members.get(name), `${at}/${name}`),
  );
}

function lacksItems(shown: readonly unknown[], given: unknown, at: string): readonly string[] {
  if (!Array.isArray(given)) return [`${at} is no list`];
  if (shown.length === 1 && shown[0] === '…') return given.length > 0 ? [] : [`${at} is empty`];
  if (shown.length !== given.length) return [`${at} has ${given.length} items`];
  return shown.flatMap((item, index) => lacks(item, given[index], `${at}/${index}`));
}
