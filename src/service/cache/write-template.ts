// This file computes the template of a write: everything in it but plain values. Writes of one template have the same plan. Values are
// also the keys in a path unless the response contains them, keys in URLs of entities in the body, and the version in If-Match.
import { referencePart } from '../../bind/body/body-parameters.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  printJson,
} from '../../edm/value/lossless-json.ts';
import type { Call } from '../service.ts';

/** An integer of the request that is not a plain value of the body. */
export interface ShapeNumber {
  /** As places of literals name it. */
  readonly part: string;
  /** Where it begins in the path; undefined in other parts, which have one number only. */
  readonly at?: number;
  readonly value: bigint;
}

export interface WriteShape {
  readonly key: string;
  /** In an order that is the same for all writes of the shape. */
  readonly numbers: readonly ShapeNumber[];
}

/** The part that If-Match is. */
export const MATCH_PART = 'if-match';

/** Characters of a key; what is larger is seldom sent twice. */
const LONGEST = 8192;

/** Marks a missing header: an empty one can be an error. */
const ABSENT = '\0';

/** Headers that change what is understood or how it is answered. If-Match is looked at by itself. */
const HEADERS = [
  'accept',
  'accept-charset',
  'accept-language',
  'content-type',
  'if-none-match',
  'isolation',
  'odata-isolation',
  'odata-maxversion',
  'odata-version',
  'prefer',
] as const;

/** Whether the keys of a path are parameters, or part of the template, for writes whose responses contain the path. */
export type PathKeys = 'lifted' | 'kept';

/**
 * The template of a write with a JSON body, or of an upload, whose body consists of the names of its file; undefined if it is not worth caching.
 * The media type of a file does not influence the plan.
 */
export function shapeOf(call: Call, body: JsonInput, keys: PathKeys): WriteShape | undefined {
  const { method, root, query, incoming } = call;
  const headers: Call['headers'] =
    incoming === undefined ? call.headers : { ...call.headers, 'content-type': 'a file' };
  const shape = new Shaping();
  const path = keys === 'kept' ? call.path : shape.path(call.path);
  const match = shape.match(headers['if-match']);
  const said = HEADERS.map((name) => headers[name] ?? ABSENT).join('\n');
  shape.walk(body, '');
  if (shape.isBroken) return undefined;
  const key = `${method}\n${root}\n${path}\n${query}\n${said}\n${match}\n${shape.text}`;
  return key.length > LONGEST ? undefined : { key, numbers: shape.numbers };
}

/** Keys of up to nine digits fit every type of whole number. */
const KEY_IN_PATH = /\((0|[1-9]\d{0,8})\)/g;
const REFERENCE = /^([^()%$]*\()(0|[1-9]\d{0,8})\)$/;
/** With or without the digest of a representation, which writes ignore. */
const VERSION = /^W\/"(0|[1-9]\d{0,17})(?:\.[\w-]+)?"$/;

class Shaping {
  readonly numbers: ShapeNumber[] = [];
  text = '';
  isBroken = false;

  #note(number: ShapeNumber): void {
    if (this.numbers.some(({ part, at }) => part === number.part && at === number.at))
      this.isBroken = true;
    this.numbers.push(number);
  }

  path(path: string): string {
    if (path.includes('%')) return path;
    return path.replace(KEY_IN_PATH, (_, digits: string, at: number) => {
      this.#note({ part: 'path', at: at + 1, value: BigInt(digits) });
      return '(#)';
    });
  }

  match(header: string | undefined): string {
    const [, digits] = VERSION.exec(header ?? '') ?? [];
    if (digits === undefined) return header ?? ABSENT;
    this.#note({ part: MATCH_PART, value: BigInt(digits) });
    return 'W/"#"';
  }

  walk(value: JsonInput, target: string): void {
    if (this.text.length > LONGEST) this.isBroken = true;
    if (this.isBroken) return;
    if (isJsonArray(value)) {
      this.text += '[';
      value.forEach((item, index) => {
        this.walk(item, `${target}[${index}]`);
        this.text += ',';
      });
      this.text += ']';
    } else if (isJsonObject(value)) this.#walkObject(value, target);
    else if (value === null) this.text += 'n';
    else if (typeof value === 'string') this.text += 's';
    else this.text += typeof value === 'boolean' ? 'b' : '0';
  }

  #walkObject(object: Readonly<Record<string, JsonInput>>, target: string): void {
    this.text += '{';
    for (const name of Object.keys(object)) {
      const value = object[name] ?? null;
      this.text += `${JSON.stringify(name)}:`;
      const place = target === '' ? name : `${target}/${name}`;
      const at = name.indexOf('@');
      if (at < 0) this.walk(value, place);
      else if (/^@(?:odata\.)?bind$/.test(name.slice(at)))
        this.#walkBind(
          value,
          `${target === '' ? '' : `${target}/`}${name.slice(0, at)}@odata.bind`,
        );
      else this.text += printJson(value);
      this.text += ',';
    }
    this.text += '}';
  }

  /** Only the batch can resolve a Content-ID. */
  #walkBind(value: JsonInput, target: string): void {
    if (isJsonArray(value)) {
      for (const [index, item] of value.entries()) this.#walkBind(item, `${target}[${index}]`);
      this.text += `|${value.length}`;
      return;
    }
    const [, before, digits] = typeof value === 'string' ? (REFERENCE.exec(value) ?? []) : [];
    if (before === undefined || digits === undefined) {
      if (typeof value === 'string' && value.includes('$')) this.isBroken = true;
      this.text += printJson(value);
      return;
    }
    this.#note({ part: referencePart(target), value: BigInt(digits) });
    this.text += JSON.stringify(`${before}#)`);
  }
}

/** The same write with another number in each of these places. */
export function withOtherNumbers(
  call: Call,
  body: JsonInput,
  keys: PathKeys,
): { readonly call: Call; readonly body: JsonInput } {
  const isKept = keys === 'kept' || call.path.includes('%');
  const path = isKept
    ? call.path
    : call.path.replace(KEY_IN_PATH, (_, digits: string) => `(${other(digits)})`);
  const match = call.headers['if-match']?.replace(
    VERSION,
    (_, digits: string) => `W/"${other(digits)}"`,
  );
  const headers = match === undefined ? call.headers : { ...call.headers, 'if-match': match };
  return { call: { ...call, headers, path }, body: otherBody(body) };
}

function otherBody(value: JsonInput): JsonInput {
  if (isJsonArray(value)) return value.map(otherBody);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      /@(?:odata\.)?bind$/.test(name) ? otherReference(inner) : otherBody(inner),
    ]),
  );
}

function otherReference(value: JsonInput): JsonInput {
  if (isJsonArray(value)) return value.map(otherReference);
  if (typeof value !== 'string') return value;
  return value.replace(
    REFERENCE,
    (_, before: string, digits: string) => `${before}${other(digits)})`,
  );
}

/** A number that has no more digits. */
function other(digits: string): bigint {
  return digits === '0' ? 1n : BigInt(digits) - 1n;
}
