// This file imports records as if each had been posted, with the same validation and computed values. Records may refer to one another in any
// order: one whose references do not exist yet is stored after the others, and a cycle is stored without some of its optional links, which
// are added at the end.
import { servicePrincipal } from '../access/principal.ts';
import { Fault, type FaultDetail, faultDetail, toDetail } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { entityType, type Model } from '../edm/model.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../edm/value/lossless-json.ts';
import type { SingleOperation, Work, WorkResult } from '../store/database.ts';
import { watched } from '../store/work.ts';
import { type Staging, writeWithFiles } from './files/uploads.ts';
import { principalsFirst } from './import-order.ts';
import { ROOT, requestOf } from './import-request.ts';
import type { Call, Service } from './service.ts';
import { newTrace } from './stage-inputs.ts';
import { prepareWrite } from './write/prepare-write.ts';
import { writeInTransaction } from './write/write.ts';

/** Maximum number of listed mistakes. */
const MISTAKE_LIMIT = 100;

/** The principal of imports. */
const IMPORTER = servicePrincipal('import');

/** Where a record is: in a set, and in a file by its line or, in a JSON document, by its index. Lines, columns and indexes of JSON. */
export interface ImportPlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly set?: string;
  readonly index?: number;
}

/** A record to create, or the singleton to change. */
export interface ImportItem {
  readonly place: ImportPlace;
  readonly set: string;
  readonly body: JsonObject;
}

export interface ImportMistake extends ImportPlace {
  /** The path of the property, or of the member of a nested record. */
  readonly property?: string;
  readonly code: string;
  readonly message: string;
}

export interface ImportResult {
  /** Records whose references do not exist yet, in their order. Nothing of them is stored. */
  readonly waiting: readonly ImportItem[];
  readonly mistakes: readonly ImportMistake[];
}

/** The number of mistakes, and the first of them, so that a large file full of mistakes does not fill the memory. */
export class MistakeList {
  readonly listed: ImportMistake[] = [];
  count = 0;

  add(...mistakes: readonly ImportMistake[]): void {
    this.count += mistakes.length;
    this.listed.push(...mistakes.slice(0, MISTAKE_LIMIT - this.listed.length));
  }
}

/** Stores all records of `{"Set":[{…},…],"Singleton":{…}}`, or none. Returns their number. Throws: service.import with the mistakes. */
export async function importRecords(document: JsonInput, service: Service): Promise<number> {
  const mistakes = new MistakeList();
  const items = itemsOf(document, service.model, {}, mistakes);
  const isComplete = mistakes.count === 0;
  mistakes.add(...(await storeAll(items, service, isComplete)));
  requireNoMistakes(mistakes);
  return items.length;
}

/**
 * Stores all items, or none if there are mistakes, which it returns.
 * @param isComplete false if there are other mistakes, so that nothing is to be stored
 */
export async function storeAll(
  items: readonly ImportItem[],
  service: Service,
  isComplete: boolean,
): Promise<readonly ImportMistake[]> {
  return await writeWithFiles(service, function* (staging) {
    const { waiting, mistakes } = yield* storeItems(items, service, staging);
    const later = yield* storeWaiting(waiting, service, staging);
    const result = [...mistakes, ...later];
    return { result, keep: isComplete && result.length === 0 };
  });
}

/** Throws service.import if there are mistakes. `stored` is what remains of the import. */
export function requireNoMistakes(
  { count, listed }: MistakeList,
  stored = 'Nothing was imported.',
): void {
  if (count === 0) return;
  const shown = count > listed.length ? `, of which the first ${listed.length} are listed` : '';
  const details = listed.map(toTarget);
  throw new Fault('service.import', { stored, count, shown }, { details });
}

function toTarget({ code, message, ...place }: ImportMistake): FaultDetail {
  return { code, message, target: placeText(place) };
}

/** `Books.csv:14: Books/Title`, `records.json: Books[3]/Title`. */
function placeText({
  file,
  line,
  column,
  set,
  index,
  property,
}: Omit<ImportMistake, 'code' | 'message'>): string {
  const where = [file, line, column].filter((part) => part !== undefined).join(':');
  const record = `${set ?? ''}${index === undefined ? '' : `[${index}]`}`;
  const what = [record, property].filter((part) => part !== undefined && part !== '').join('/');
  return [where, what].filter((part) => part !== '').join(': ');
}

// ---- storing --------------------------------------------------------------------------------------------------------

/** Checks items without storing them: everything except what depends on other records. */
export function* checkItems(
  items: readonly ImportItem[],
  service: Service,
): Work<WorkResult<readonly ImportMistake[]>> {
  const mistakes: ImportMistake[] = [];
  for (const item of items) {
    try {
      yield* prepareWrite(callOf(item, service), service, {
        principal: IMPORTER,
        trace: newTrace(),
      });
    } catch (error) {
      mistakes.push(...mistakesOf(error, item).filter((one) => !isMissingReference(one)));
    }
  }
  return { result: mistakes, keep: false };
}

/** Stores items in their order. */
export function* storeItems(
  items: readonly ImportItem[],
  service: Service,
  staging: Staging,
): Work<ImportResult> {
  const waiting: ImportItem[] = [];
  const mistakes: ImportMistake[] = [];
  for (const item of principalsFirst(service.model, items)) {
    const found = yield* attempt(item, service, staging);
    if ('location' in found) continue;
    const own = found.mistakes.filter((one) => !isMissingReference(one));
    if (own.length === 0 && !found.hasChanged) waiting.push(item);
    else mistakes.push(...(own.length > 0 ? own : found.mistakes));
  }
  return { waiting, mistakes };
}

/**
 * Stores items whose references did not exist before: in rounds of alternating order as long as there is progress, and where records wait
 * for one another, without optional links, which are added when all records are stored.
 */
export function* storeWaiting(
  items: readonly ImportItem[],
  service: Service,
  staging: Staging,
): Work<readonly ImportMistake[]> {
  const mistakes: ImportMistake[] = [];
  const links: Link[] = [];
  let waiting = items;
  while (waiting.length > 0) {
    const round = yield* storeItems([...waiting].reverse(), service, staging);
    mistakes.push(...round.mistakes);
    if (round.waiting.length < waiting.length) {
      waiting = round.waiting;
      continue;
    }
    const cut = yield* storeWithoutLinks(waiting, service, staging, links);
    waiting = cut.waiting;
    mistakes.push(...cut.mistakes);
  }
  for (const { call, item } of links) {
    const found = yield* attempt(item, service, staging, call);
    if ('mistakes' in found) mistakes.push(...found.mistakes);
  }
  return mistakes;
}

/** The request that adds the links of a stored item. */
interface Link {
  readonly call: Call;
  readonly item: ImportItem;
}

/** Stores what it can without optional links that do not exist. If that is nothing, all items have mistakes. */
function* storeWithoutLinks(
  items: readonly ImportItem[],
  service: Service,
  staging: Staging,
  links: Link[],
): Work<ImportResult> {
  const waiting: ImportItem[] = [];
  const mistakes: ImportMistake[] = [];
  for (const item of items) {
    const whole = yield* attempt(item, service, staging);
    if ('location' in whole) continue;
    const parts = splitLinks(item, whole.mistakes, service.model);
    const cut =
      parts === undefined
        ? undefined
        : yield* attempt({ ...item, body: parts.rest }, service, staging);
    if (parts !== undefined && cut !== undefined && 'location' in cut) {
      const call = { ...callOf({ ...item, body: parts.links }, service), method: 'PATCH' as const };
      links.push({ call: { ...call, path: cut.location ?? callOf(item, service).path }, item });
    } else {
      waiting.push(item);
      mistakes.push(...whole.mistakes);
    }
  }
  const hasProgress = waiting.length < items.length;
  return hasProgress ? { waiting, mistakes: [] } : { waiting: [], mistakes };
}

/** The body without the members of missing references, and these members; undefined if one of them is required or nested. */
function splitLinks(
  { set, body }: ImportItem,
  missing: readonly ImportMistake[],
  model: Model,
): { readonly rest: JsonObject; readonly links: JsonObject } | undefined {
  const names = new Set(missing.map(({ property = '' }) => /^\w*/u.exec(property)?.[0] ?? ''));
  if (![...names].every((name) => isOptionalLink(model, set, name))) return undefined;
  const isLink = ([name]: readonly [string, JsonInput]) => names.has(name.split('@')[0] ?? '');
  const members = Object.entries(body);
  return {
    rest: Object.fromEntries(members.filter((member) => !isLink(member))),
    links: Object.fromEntries(members.filter(isLink)),
  };
}

/** Whether the member, a navigation or a dependent property, can be set by a later change. */
function isOptionalLink(model: Model, set: string, name: string): boolean {
  const type = entityType(model, model.sets.get(set)?.type ?? '');
  const member = [type, ...model.derived(type)]
    .map((one) => model.members(one).get(name))
    .find((one) => one !== undefined);
  if (member?.kind === 'property') return member.nullable && member.immutable !== true;
  return (
    member?.kind === 'navigation' &&
    !member.contained &&
    member.immutable !== true &&
    (member.nullable || member.collection)
  );
}

type Attempt =
  | { readonly location: string | undefined }
  | { readonly mistakes: readonly ImportMistake[]; readonly hasChanged: boolean };

/** Stores an item, or performs the write of its links. Returns the path of the record, or the mistakes and whether something has been stored before them. */
function* attempt(
  item: ImportItem,
  service: Service,
  staging: Staging,
  linking?: Call,
): Work<Attempt> {
  let hasChanged = false;
  const note = ({ kind }: SingleOperation) => {
    hasChanged ||= kind === 'change';
  };
  try {
    const call = linking ?? callOf(item, service);
    const { result } = yield* watched(writeInTransaction(call, service, IMPORTER, staging), note);
    return { location: result.headers.Location?.slice(ROOT.length) };
  } catch (error) {
    return { mistakes: mistakesOf(error, item), hasChanged };
  }
}

function callOf({ place, set, body }: ImportItem, { model }: Service): Call {
  const headers = {
    'content-type': 'application/json',
    prefer: 'return=minimal',
    'odata-version': '4.01',
    'odata-maxversion': '4.01',
  };
  const request = requestOf(set, body, model);
  return {
    // Staged files are found by it.
    id: `import ${placeText(place)}`,
    method: request.method,
    path: request.path,
    query: '',
    headers,
    body: Buffer.from(printJson(request.body)),
    address: '',
    isLoad: true,
    waivesTags: true,
    root: ROOT,
  };
}

// ---- mistakes -------------------------------------------------------------------------------------------------------

function isMissingReference({ code }: ImportMistake): boolean {
  return code === 'write.missing-reference' || code === 'write.no-principal';
}

/** The mistakes of a record. Throws errors that are none. */
function mistakesOf(error: unknown, { place }: ImportItem): readonly ImportMistake[] {
  if (!(error instanceof Fault) || error.status >= 500) throw error;
  const details = error.details.length === 0 ? [toDetail(error)] : error.details;
  return details.map(({ code, message, target }) => ({
    ...place,
    ...(target === undefined ? {} : { property: target }),
    code,
    message,
  }));
}

/** The mistake of an error, at a place. */
export function mistakeAt(
  place: ImportPlace,
  code: `service.import-${'set' | 'file' | 'record' | 'column'}`,
  parameters: Readonly<Record<string, string>>,
): ImportMistake {
  return { ...place, ...faultDetail(code, parameters) };
}

// ---- documents ------------------------------------------------------------------------------------------------------

/** The records of a JSON document, in its order. Appends mistakes. */
export function itemsOf(
  document: JsonInput,
  model: Model,
  place: ImportPlace,
  mistakes: MistakeList,
): readonly ImportItem[] {
  if (!isJsonObject(document)) {
    const reason = 'it must contain an object with one member per set';
    mistakes.add(mistakeAt(place, 'service.import-file', { reason }));
    return [];
  }
  return Object.entries(document).flatMap(([name, value]) =>
    itemsOfSet(name, value, model, place, mistakes),
  );
}

function itemsOfSet(
  name: string,
  value: JsonInput,
  model: Model,
  place: ImportPlace,
  mistakes: MistakeList,
): readonly ImportItem[] {
  const set = model.sets.get(name);
  if (set === undefined) {
    const hint = didYouMean(name, model.sets.keys());
    mistakes.add(mistakeAt(place, 'service.import-set', { name, hint }));
    return [];
  }
  const whole = { ...place, set: name };
  const isSingleton = set.kind === 'singleton';
  if (isSingleton && isJsonObject(value)) return [{ place: whole, set: name, body: value }];
  if (isSingleton || !isJsonArray(value)) {
    mistakes.add(malformed(whole));
    return [];
  }
  return value.flatMap((item, index) => {
    const at = { ...whole, index };
    if (isJsonObject(item)) return [{ place: at, set: name, body: item }];
    mistakes.add(malformed(at));
    return [];
  });
}

function malformed(place: ImportPlace): ImportMistake {
  const reason = 'a set takes an array of objects, a singleton an object';
  return mistakeAt(place, 'service.import-record', { reason });
}
