// This file takes in the files of requests: which bodies are files, what they say of themselves, and how bytes and rows become one deed.
// A deed with files is rehearsed without their bytes first, so that what will be refused is refused before anything is sent; then the
// bytes are kept, and the deed is done. A small file alone is not worth a rehearsal. Bytes that no row has come to name are removed again.
import { piecesOf } from '../../attachments/byte-streams.ts';
import { decodedBytes } from '../../attachments/content-coding.ts';
import { boundaryOf, type Part, readParts } from '../../attachments/multipart.ts';
import {
  blankless,
  checkedBytes,
  type IncomingFile,
  mediaTypeOf,
  namesOf,
  type PartHeaders,
  readDisposition,
} from '../../attachments/upload-headers.ts';
import type { Vault } from '../../attachments/vault.ts';
import { Fault, InvariantError } from '../../base/fault.ts';
import { isBytes } from '../../bind/bind-write.ts';
import type { SentFile } from '../../bind/body/uploaded-file-names.ts';
import type { FileInput } from '../../bind/write/bound-write.ts';
import { type EntityType, type Model, simpleName } from '../../edm/model.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { invalidHeader, readCoding } from '../../request/headers/media-types.ts';
import type { Transaction, WorkResult } from '../../store/database.ts';
import type { StoredBytes } from '../../store/file-names.ts';
import type { Call, Service } from '../service.ts';
import { readTree, scopeOf } from '../stage-inputs.ts';

/** Whether the body of the call is a file, and not something to be understood. Raises nothing: who cannot be understood is refused later. */
export function takesBytes(call: Call, service: Service): boolean {
  if (!['POST', 'PUT', 'PATCH'].includes(call.method)) return false;
  if (!mayTakeBytes(service.model, call.path)) return false;
  const known = bytePaths.get(service.model) ?? new Set();
  bytePaths.set(service.model, known);
  const shape = pathShape(call);
  if (shape !== undefined && known.has(shape)) return true;
  const isSo = leadsToBytes(call, service);
  if (known.size >= BYTE_PATHS) known.clear();
  if (isSo && shape !== undefined) known.add(shape);
  return isSo;
}

/** Ways to bytes that have been walked before, without their keys. */
const bytePaths = new WeakMap<Model, Set<string>>();
const BYTE_PATHS = 500;

/** What the call says of where it leads; undefined where more than its path does. */
function pathShape({ method, path, query }: Call): string | undefined {
  if (query !== '' || path.startsWith('$') || path.length > LONGEST_SHAPE) return undefined;
  return `${method} ${path.replace(/\(\d{1,9}\)/g, '(#)')}`;
}

const LONGEST_SHAPE = 200;

function leadsToBytes(call: Call, service: Service): boolean {
  try {
    const tree = readTree({ ...call, body: undefined }, service, { spoken: undefined, stages: {} });
    const scope = { ...scopeOf(call, service), root: call.root, codes: service.codes };
    const { contentIds } = call;
    return isBytes(tree, contentIds === undefined ? scope : { ...scope, contentIds });
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Whether the path could lead to a stream, by the name at its end. */
export function mayTakeBytes(model: Model, path: string): boolean {
  return namesOfStreams(model).has(lastName(path));
}

/** The name at the end of a path, without a key. */
function lastName(path: string): string {
  const last = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).replace(/\(.*$/, '');
  } catch {
    return last;
  }
}

const streamNames = new WeakMap<Model, ReadonlySet<string>>();

/** Names that the path to a stream can end with: a cheap look before a path is walked. */
function namesOfStreams(model: Model): ReadonlySet<string> {
  const known = streamNames.get(model) ?? findStreamNames(model);
  streamNames.set(model, known);
  return known;
}

function findStreamNames(model: Model): ReadonlySet<string> {
  const isMedia = (name: string) => {
    const type = model.types.get(name);
    return type?.kind === 'entity' && isMediaType(model, type);
  };
  const names = new Set(['$value']);
  for (const type of model.types.values()) {
    if (type.kind !== 'entity' && type.kind !== 'complex') continue;
    if (isMedia(type.name)) names.add(type.name).add(simpleName(type.name));
    for (const member of model.members(type).values()) {
      const leads = member.kind === 'navigation' && isMedia(member.target);
      const isStream = member.kind === 'property' && member.type === 'Edm.Stream';
      if (leads || isStream) names.add(member.name);
    }
  }
  for (const set of model.definition.sets) if (isMedia(set.type)) names.add(set.name);
  return names;
}

function isMediaType(model: Model, type: EntityType): boolean {
  return [type, ...model.derived(type)].some(
    (one) => one.kind === 'entity' && one.hasStream === true,
  );
}

/** A part of a body would be taken for all of it. RFC 9110, "Partial PUT". Fault request.header. */
export function requireWholeBody({ headers: { 'content-range': range } }: Call): void {
  if (range === undefined) return;
  throw invalidHeader('Content-Range', range, 'send the whole body, and leave the header out');
}

/** The call with what its body says of itself, where the body is a file. Faults file.form, request.header. */
export async function receive(call: Call, service: Service): Promise<Call> {
  const { upload, body, headers } = call;
  const source = upload ?? (body === undefined ? undefined : piecesOf(body));
  const isEmptyFile = source === undefined && headers['content-type'] !== undefined;
  if (source === undefined && !isEmptyFile) return call;
  if (upload === undefined && !takesBytes(call, service)) return call;
  return { ...call, incoming: await readFile(source ?? piecesOf(new Uint8Array(0)), headers) };
}

/**
 * What a body of bytes says of itself. Digests are those of the body as it is sent, in its content coding (RFC 9530); the file is what comes
 * out of the coding. Faults file.form, request.header, request.media-type (Content-Encoding).
 */
export async function readFile(
  source: AsyncIterable<Uint8Array>,
  headers: PartHeaders,
): Promise<IncomingFile> {
  const type = headers['content-type'] ?? '';
  const coding = readCoding(headers['content-encoding']);
  const bytes = decodedBytes(checkedBytes(source, headers), coding);
  if (/^multipart\/form-data\b/i.test(type)) return await readForm(bytes, boundaryOf(type));
  const length =
    coding === 'identity' ? Number(headers['content-length'] ?? Number.NaN) : Number.NaN;
  return {
    ...namesOf(headers),
    mediaType: mediaTypeOf(headers),
    length: Number.isSafeInteger(length) ? length : undefined,
    bytes,
  };
}

/** The service contract, "Attachments": one file part, whose field name becomes the name. */
async function readForm(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): Promise<IncomingFile> {
  const parts = readParts(source, boundary);
  const first = await parts.next();
  if (first.done === true) throw notOneFile('it has no part');
  const { headers, bytes } = first.value;
  const { kind, name, fileName } = readDisposition(headers['content-disposition'], true);
  if (kind !== 'form-data' || blankless(fileName) === undefined)
    throw notOneFile(`its part ${JSON.stringify((name ?? '').slice(0, 100))} has no filename`);
  if (blankless(name) === undefined)
    throw new Fault('file.form', {
      reason: 'its file part has no name; write name="…" into its Content-Disposition.',
    });
  if (!/^(?:binary|8bit|7bit)?$/i.test(headers['content-transfer-encoding'] ?? ''))
    throw new Fault('file.form', {
      reason: 'its file must be sent without Content-Transfer-Encoding',
    });
  return {
    name,
    fileName,
    mediaType: mediaTypeOf(headers),
    length: undefined,
    bytes: onlyPart(checkedBytes(bytes, headers), parts),
  };
}

async function* onlyPart(
  bytes: AsyncIterable<Uint8Array>,
  parts: AsyncGenerator<Part>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
    if ((await parts.next()).done !== true) throw notOneFile('it has more than one part');
  } finally {
    await parts.return(undefined);
  }
}

function notOneFile(what: string): Fault {
  return new Fault('file.form', { reason: `${what}; send exactly one file part` });
}

/** What the names of a file say of its entity. */
export function saidOf({ name, fileName }: IncomingFile): SentFile {
  return {
    ...(name === undefined ? {} : { name }),
    ...(fileName === undefined ? {} : { fileName }),
  };
}

// ---- bytes and rows as one deed -------------------------------------------------------------------------------------

interface Wanted {
  readonly key: string;
  readonly input: FileInput;
  readonly call: Call;
}

/** Files of one deed that are written at the same time: each waits for the disk. */
const AT_ONCE = 16;

/** The files of one deed: first only wanted, then kept. */
export class Staging {
  readonly #vault: Vault;
  readonly #wanted = new Map<string, Wanted>();
  readonly #kept = new Map<string, StoredBytes>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Whether files of the deed are still to be kept: what has been done was a rehearsal. */
  get isWanting(): boolean {
    return this.#wanted.size > 0;
  }

  /** The files of a plan; stand-ins for those that are not kept yet. Faults file.missing, file.type, file.too-large. */
  filesOf(call: Call, { files = new Map() }: WritePlan): ReadonlyMap<string, StoredBytes> {
    return new Map(
      [...files].map(([file, input]) => {
        const key = `${call.id} ${file}`;
        const kept = this.#kept.get(key);
        if (kept === undefined) this.#want({ key, input, call });
        return [file, kept ?? standIn(key)] as const;
      }),
    );
  }

  #want(wanted: Wanted): void {
    this.#vault.check(sourceOf(wanted));
    this.#wanted.set(wanted.key, wanted);
  }

  /** Keeps all that is wanted, some at a time. Faults: those of Vault.keep, when none is on its way any more. */
  async keepAll(): Promise<void> {
    const wanted = [...this.#wanted.values()];
    this.#wanted.clear();
    const rest = wanted.values();
    let hasFailed = false;
    const keepOn = async () => {
      for (const one of rest) {
        if (hasFailed) return;
        await this.#keep(one).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, keepOn));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #keep(wanted: Wanted): Promise<void> {
    this.#kept.set(wanted.key, await this.#vault.keep(sourceOf(wanted)));
  }

  /** Removes what no row names. */
  async clear(isNamed: (key: string) => boolean): Promise<void> {
    for (const file of this.#kept.values()) if (!isNamed(file.key)) await this.#vault.drop(file);
  }
}

function sourceOf({ input, call }: Wanted): IncomingFile {
  if (input.kind === 'sent') {
    if (call.incoming === undefined) throw new Fault('file.missing');
    return call.incoming;
  }
  const { mediaType, bytes } = input;
  return {
    name: undefined,
    fileName: undefined,
    mediaType,
    length: bytes.byteLength,
    bytes: piecesOf(bytes),
  };
}

/** What the row of a rehearsal names. */
function standIn(key: string): StoredBytes {
  return { key: `rehearsal ${key}`, store: '', mediaType: '', size: 0, sha256: '' };
}

/** What the writes of one deed share. */
export interface Within {
  readonly transaction: Transaction;
  readonly staging: Staging;
}

/** Files that are known before the deed is done: they are kept without a rehearsal. */
export interface Ahead {
  /** Tells the staging which. Raises what is wrong with them. */
  readonly want: (staging: Staging) => void;
  /** Whether the deed could be rehearsed after all. */
  readonly mayRehearse: boolean;
}

/** Awaited between the bytes and the deed that names them: bytes take their time to come. */
export type Confirm = () => Promise<void>;

/** Does a deed whose rows may name files. Faults: those of the deed, of keeping files, and of `confirm`. */
export async function writeWithFiles<Result>(
  { database, vault }: Service,
  deed: (within: Within) => WorkResult<Result>,
  { ahead, confirm }: { readonly ahead?: Ahead | undefined; readonly confirm?: Confirm } = {},
): Promise<Result> {
  const staging = new Staging(vault);
  const attempt = async () =>
    await database.write((transaction) => {
      const { result, keep } = deed({ transaction, staging });
      return { result, keep: keep && !staging.isWanting };
    });
  try {
    if (ahead !== undefined) ahead.want(staging);
    else {
      const first = await attempt();
      if (!staging.isWanting) return first;
    }
    await staging.keepAll().catch(async (error: unknown) => {
      // What would have been refused in a rehearsal is refused for that reason, rather than because its files could not be kept.
      if (ahead?.mayRehearse === true) await attempt();
      throw error;
    });
    await confirm?.();
    const second = await attempt();
    if (staging.isWanting) throw new InvariantError('a deed has asked for more files');
    return second;
  } finally {
    await staging.clear((key) => database.read(NAMED, [key]).length > 0);
  }
}

const NAMED = 'SELECT 1 FROM "docket_file" WHERE "key" = ?';
