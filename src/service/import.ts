// This file stores the records of a JSON document, `{"Set":[{…},…],"Singleton":{…}}`, as if each had been posted: the same checks, the same
// computed values, all or none.
import type { Principal } from '../access/principal.ts';
import { Fault, type FaultDetail, toDetail } from '../base/fault.ts';
import { didYouMean } from '../base/nearest-name.ts';
import {
  isJsonList,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../edm/value/lossless-json.ts';
import type { Call, Service } from './service.ts';
import { performWrite, prepareWrite } from './write/write.ts';

/** Mistakes told at most. */
const MISTAKE_LIMIT = 100;

/** Whose deed an import is. */
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

/** Stores all records and tells how many there were. Fault service.import with one detail for each mistake; then nothing is stored. */
export async function importRecords(document: JsonInput, service: Service): Promise<number> {
  const items = itemsOf(document, service);
  return await service.database.write((transaction) => {
    const asking = {
      principal: IMPORTER,
      trail: { spoken: undefined, stages: {} },
      read: transaction.rows,
    };
    const details: FaultDetail[] = [];
    for (const item of items) {
      try {
        performWrite(prepareWrite(callOf(item), service, asking), service, transaction);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        details.push(...detailsOf(error, item.place));
        if (details.length >= MISTAKE_LIMIT) break;
      }
    }
    if (details.length > 0)
      throw new Fault('service.import', { count: details.length }, { details });
    return { result: items.length, keep: true };
  });
}

function itemsOf(document: JsonInput, { model }: Service): readonly Item[] {
  if (!isJsonObject(document))
    throw new Fault('request.body', {
      reason: 'records are given as an object with one member for each set',
    });
  return Object.entries(document).flatMap(([name, value]): readonly Item[] => {
    const set = model.sets.get(name);
    if (set === undefined)
      throw new Fault('service.import-set', { name, hint: didYouMean(name, model.sets.keys()) });
    if (set.kind === 'singleton')
      return isJsonObject(value)
        ? [{ place: name, method: 'PATCH' as const, path: name, body: value }]
        : [wrong(name)];
    if (!isJsonList(value)) return [wrong(name)];
    return value.map((item, index) =>
      isJsonObject(item)
        ? { place: `${name}[${index}]`, method: 'POST' as const, path: name, body: item }
        : wrong(`${name}[${index}]`),
    );
  });
}

function wrong(place: string): never {
  throw new Fault('request.body', { reason: `${place} is not what a set or a singleton holds` });
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
