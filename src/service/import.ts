// This file imports a JSON document of records, `{"Set":[{…},…],"Singleton":{…}}`, as if each had been posted, with the same validation and
// computed values. All records are stored, or none.
import type { Principal } from '../access/principal.ts';
import { Fault, type FaultDetail, toDetail } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../edm/value/lossless-json.ts';
import type { Work } from '../store/database.ts';
import { kept } from '../store/work.ts';
import type { Call, Service } from './service.ts';
import { newTrace } from './stage-inputs.ts';
import { performWrite } from './write/perform-write.ts';
import { prepareWrite } from './write/prepare-write.ts';

/** Maximum number of reported mistakes. */
const MISTAKE_LIMIT = 100;

/** The principal of imports. */
const IMPORTER: Principal = {
  account: 0n,
  loginName: 'import',
  person: undefined,
  roles: [],
  administrator: true,
};

interface Item {
  readonly place: string;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: JsonObject;
}

/** Stores all records and returns their number. Throws: request.body, service.import-set, service.import with one detail per mistake. */
export async function importRecords(document: JsonInput, service: Service): Promise<number> {
  const items = itemsOf(document, service);
  return await service.database.write(() => kept(storeItems(items, service)));
}

function* storeItems(items: readonly Item[], service: Service): Work<number> {
  const environment = { principal: IMPORTER, trace: newTrace() };
  const details: FaultDetail[] = [];
  for (const item of items) {
    try {
      const prepared = yield* prepareWrite(callOf(item), service, environment);
      yield* performWrite(prepared, service);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      details.push(...detailsOf(error, item.place));
      if (details.length >= MISTAKE_LIMIT) break;
    }
  }
  if (details.length > 0) throw new Fault('service.import', { count: details.length }, { details });
  return items.length;
}

function itemsOf(document: JsonInput, { model }: Service): readonly Item[] {
  if (!isJsonObject(document))
    throw new Fault('request.body', {
      reason: 'records must be an object with one member per set',
    });
  return Object.entries(document).flatMap(([name, value]): readonly Item[] => {
    const set = model.sets.get(name);
    if (set === undefined)
      throw new Fault('service.import-set', { name, hint: didYouMean(name, model.sets.keys()) });
    if (set.kind === 'singleton')
      return isJsonObject(value)
        ? [{ place: name, method: 'PATCH' as const, path: name, body: value }]
        : [malformed(name)];
    if (!isJsonArray(value)) return [malformed(name)];
    return value.map((item, index) =>
      isJsonObject(item)
        ? { place: `${name}[${index}]`, method: 'POST' as const, path: name, body: item }
        : malformed(`${name}[${index}]`),
    );
  });
}

function malformed(place: string): never {
  throw new Fault('request.body', {
    reason: `${place} has the wrong type: a set takes an array of objects, a singleton an object`,
  });
}

function callOf({ method, path, body }: Item): Call {
  const headers = {
    'content-type': 'application/json',
    prefer: 'return=minimal',
    'odata-version': '4.01',
    'odata-maxversion': '4.01',
  };
  return {
    id: 'import',
    method,
    path: encodeURIComponent(path),
    query: '',
    headers,
    body: Buffer.from(printJson(body)),
    address: '',
    root: 'http://localhost/odata/',
  };
}

function detailsOf(fault: Fault, place: string): readonly FaultDetail[] {
  const details = fault.details.length === 0 ? [toDetail(fault)] : fault.details;
  return details.map((detail) => ({
    ...detail,
    target: detail.target === undefined ? place : `${place}/${detail.target}`,
  }));
}
