// This file receives uploaded files: it recognizes bodies that are files, reads their headers, and stores bytes and rows consistently. A
// write with files is rehearsed without their bytes first, so that an invalid one is rejected before anything is uploaded. Then the
// bytes are stored and the write runs. Small single files skip the rehearsal. Bytes without a row are deleted again.
import { chunksOf } from '../../attachments/byte-streams.ts';
import { decodedBytes } from '../../attachments/content-coding.ts';
import { boundaryOf, malformed, type Part, readParts } from '../../attachments/multipart.ts';
import {
  checkedBytes,
  type IncomingFile,
  mediaTypeOf,
  namesOf,
  nonEmpty,
  type PartHeaders,
  readDisposition,
} from '../../attachments/upload-headers.ts';
import type { Vault } from '../../attachments/vault.ts';
import { Fault, InvariantError } from '../../base/fault.ts';
import { perObject } from '../../base/memo.ts';
import { hasBinaryBody } from '../../bind/bind-write.ts';
import type { UploadedFile } from '../../bind/body/uploaded-file-names.ts';
import type { FileInput } from '../../bind/write/bound-write.ts';
import { type EntityType, type Model, simpleName } from '../../edm/model.ts';
import type { WritePlan } from '../../plan/write-plan.ts';
import { invalidHeader, readCoding } from '../../request/headers/media-types.ts';
import { ARGUMENT, sql, tableName } from '../../sql/fragment.ts';
import type { Work, WorkResult } from '../../store/database.ts';
import type { FileMetadata } from '../../store/stored-files.ts';
import type { Call, Service } from '../service.ts';
import { newTrace, readTree, scopeOf } from '../stage-inputs.ts';

/** Whether the body of the call is the content of a file. Never throws: invalid requests are rejected later. */
export function hasFileBody(call: Call, service: Service): boolean {
  if (!['POST', 'PUT', 'PATCH'].includes(call.method)) return false;
  if (!mayTakeFile(service.model, call.path)) return false;
  const cached = streamPaths(service.model);
  const template = pathTemplate(call);
  if (template !== undefined && cached.has(template)) return true;
  const isFile = targetsStream(call, service);
  if (cached.size >= CACHED_PATHS) cached.clear();
  if (isFile && template !== undefined) cached.add(template);
  return isFile;
}

/** Cached paths that target streams, without their keys. */
const streamPaths = perObject((_: Model) => new Set<string>());
const CACHED_PATHS = 500;

/** Method and path without keys; undefined if the target depends on more than these. */
function pathTemplate({ method, path, query }: Call): string | undefined {
  if (query !== '' || path.startsWith('$') || path.length > CACHED_PATH_LENGTH) return undefined;
  return `${method} ${path.replace(/\(\d{1,9}\)/g, '(#)')}`;
}

const CACHED_PATH_LENGTH = 200;

function targetsStream(call: Call, service: Service): boolean {
  try {
    const tree = readTree({ ...call, body: undefined }, service, newTrace());
    const scope = { ...scopeOf(call, service), root: call.root, codes: service.codes };
    const { contentIds } = call;
    return hasBinaryBody(tree, contentIds === undefined ? scope : { ...scope, contentIds });
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Whether the path may target a stream, judging by its last name. A cheap check before the path is parsed. */
export function mayTakeFile(model: Model, path: string): boolean {
  return namesOfStreams(model).has(lastName(path));
}

/** The last name in a path, without a key. */
function lastName(path: string): string {
  const last = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).replace(/\(.*$/, '');
  } catch {
    return last;
  }
}

/** All names that a path to a stream can end with. */
const namesOfStreams = perObject((model: Model): ReadonlySet<string> => {
  const isMedia = (name: string) => {
    const type = model.types.get(name);
    return type?.kind === 'entity' && isMediaType(model, type);
  };
  const names = new Set(['$value']);
  for (const type of model.types.values()) {
    if (type.kind !== 'entity' && type.kind !== 'complex') continue;
    if (isMedia(type.name)) names.add(type.name).add(simpleName(type.name));
    for (const member of model.members(type).values()) {
      const hasMediaTarget = member.kind === 'navigation' && isMedia(member.target);
      const isStream = member.kind === 'property' && member.type === 'Edm.Stream';
      if (hasMediaTarget || isStream) names.add(member.name);
    }
  }
  for (const set of model.definition.sets) if (isMedia(set.type)) names.add(set.name);
  return names;
});

function isMediaType(model: Model, type: EntityType): boolean {
  return [type, ...model.derived(type)].some(
    (candidate) => candidate.kind === 'entity' && candidate.hasStream === true,
  );
}

/** Rejects partial content, which would overwrite the whole. RFC 9110, "Partial PUT". Throws: request.header. */
export function requireWholeBody({ headers: { 'content-range': range } }: Call): void {
  if (range === undefined) return;
  throw invalidHeader('Content-Range', range, 'send the complete body without this header');
}

/** Reads the headers of the file if the body is one. Returns other calls unchanged. Throws: file.form, request.header. */
export async function receive(call: Call, service: Service): Promise<Call> {
  const { upload, body, headers } = call;
  const source = upload ?? (body === undefined ? undefined : chunksOf(body));
  const isEmptyFile = source === undefined && headers['content-type'] !== undefined;
  if (source === undefined && !isEmptyFile) return call;
  if (upload === undefined && !hasFileBody(call, service)) return call;
  return { ...call, incoming: await readFile(source ?? chunksOf(new Uint8Array(0)), headers) };
}

/**
 * Reads the headers of a file and decodes its content. Digests apply to the encoded content (RFC 9530).
 * Throws: file.form, request.header, request.media-type (Content-Encoding).
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

/** Reads a form with one file part, whose field name becomes the name. Service contract, "Attachments". */
async function readForm(
  source: AsyncIterable<Uint8Array>,
  boundary: string,
): Promise<IncomingFile> {
  const parts = readParts(source, boundary);
  const first = await parts.next();
  if (first.done === true) throw singleFileExpected('it has no part');
  const { headers, bytes } = first.value;
  const { kind, name, fileName } = readDisposition(headers['content-disposition'], true);
  if (kind !== 'form-data' || nonEmpty(fileName) === undefined)
    throw singleFileExpected(
      `its part ${JSON.stringify((name ?? '').slice(0, 100))} has no filename`,
    );
  if (nonEmpty(name) === undefined)
    throw malformed('its file part has no name; add name="…" to its Content-Disposition.');
  if (!/^(?:binary|8bit|7bit)?$/i.test(headers['content-transfer-encoding'] ?? ''))
    throw malformed('its file has a Content-Transfer-Encoding; send it without');
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
    if ((await parts.next()).done !== true) throw singleFileExpected('it has more than one part');
  } finally {
    await parts.return(undefined);
  }
}

function singleFileExpected(problem: string): Fault {
  return malformed(`${problem}; send exactly one file part`);
}

/** The names of the file, for the properties of its media entity. */
export function sentFileOf({ name, fileName }: IncomingFile): UploadedFile {
  return {
    ...(name === undefined ? {} : { name }),
    ...(fileName === undefined ? {} : { fileName }),
  };
}

// ---- writes with files ----------------------------------------------------------------------------------------------

interface PendingFile {
  readonly key: string;
  readonly input: FileInput;
  readonly call: Call;
}

/** Files of one write that are stored in parallel, since each waits for the disk. */
const PARALLEL_FILES = 16;

/** The files of one write: first pending, then stored. */
export class Staging {
  readonly #vault: Vault;
  readonly #pending = new Map<string, PendingFile>();
  readonly #stored = new Map<string, FileMetadata>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Whether files have yet to be stored, so that the last attempt was a rehearsal. */
  get hasPending(): boolean {
    return this.#pending.size > 0;
  }

  /** The files of a plan, with placeholders for those not stored yet. Throws: file.missing, file.type, file.too-large. */
  filesOf(call: Call, { files = new Map() }: WritePlan): ReadonlyMap<string, FileMetadata> {
    return new Map(
      [...files].map(([file, input]) => {
        const key = `${call.id} ${file}`;
        const stored = this.#stored.get(key);
        if (stored === undefined) this.#request({ key, input, call });
        return [file, stored ?? placeholder(key)] as const;
      }),
    );
  }

  #request(file: PendingFile): void {
    this.#vault.check(sourceOf(file));
    this.#pending.set(file.key, file);
  }

  /** Stores all pending files, some in parallel. Throws the faults of Vault.keep, once no upload is running any more. */
  async storePending(): Promise<void> {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    const queue = pending.values();
    let hasFailed = false;
    const storeNext = async () => {
      for (const file of queue) {
        if (hasFailed) return;
        await this.#store(file).catch((error: unknown) => {
          hasFailed = true;
          throw error;
        });
      }
    };
    const outcomes = await Promise.allSettled(Array.from({ length: PARALLEL_FILES }, storeNext));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  async #store(file: PendingFile): Promise<void> {
    this.#stored.set(file.key, await this.#vault.keep(sourceOf(file)));
  }

  /** Deletes the stored files that no row refers to. */
  async removeUnreferenced(isReferenced: (key: string) => Promise<boolean>): Promise<void> {
    for (const file of this.#stored.values())
      if (!(await isReferenced(file.key))) await this.#vault.drop(file);
  }
}

function sourceOf({ input, call }: PendingFile): IncomingFile {
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
    bytes: chunksOf(bytes),
    isExempt: mediaType === call.exemptFiles,
  };
}

/** What rows refer to during a rehearsal. */
function placeholder(key: string): FileMetadata {
  return { key: `rehearsal ${key}`, store: '', mediaType: '', size: 0, sha256: '' };
}

/** Files that are known before the write runs, so that they are stored without a rehearsal. */
interface KnownFiles {
  /** Requests the files from the staging area. Throws their faults. */
  readonly request: (staging: Staging) => void;
  /** Whether a rehearsal is possible if storing fails. */
  readonly mayRehearse: boolean;
}

export interface FileWriteOptions {
  readonly known?: KnownFiles | undefined;
  /** Awaited after storing the files and before the transaction that refers to them. */
  readonly confirm?: () => Promise<void>;
}

/** Runs a write whose rows may refer to files. Throws: the faults of the write, of storing files, and of `confirm`. */
export async function writeWithFiles<Result>(
  { database, vault }: Service,
  start: (staging: Staging) => Work<WorkResult<Result>>,
  { known, confirm }: FileWriteOptions = {},
): Promise<Result> {
  const staging = new Staging(vault);
  const attempt = async () =>
    await database.write(function* () {
      const { result, keep } = yield* start(staging);
      return { result, keep: keep && !staging.hasPending };
    });
  try {
    if (known !== undefined) known.request(staging);
    else {
      const first = await attempt();
      if (!staging.hasPending) return first;
    }
    await staging.storePending().catch(async (error: unknown) => {
      // An invalid write reports its own error rather than that of storing its files.
      if (known?.mayRehearse === true) await attempt();
      throw error;
    });
    await confirm?.();
    const second = await attempt();
    if (staging.hasPending) throw new InvariantError('a write has requested more files');
    return second;
  } finally {
    await staging.removeUnreferenced(
      async (key) => (await database.read(IS_REFERENCED, [key])).length > 0,
    );
  }
}

const IS_REFERENCED = sql`SELECT 1 FROM ${tableName('docket_file')} WHERE "key" = ${ARGUMENT}`;
