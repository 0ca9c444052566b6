// This file tests what the URLs of requests in a batch lead to, in every form that clients write.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { RequestResults } from '../../src/service/batch/request-results.ts';
import { addressOfPart, tagOfPart } from '../../src/service/batch/request-url.ts';

const ROOT = 'http://desk.example/odata/';

const MADE: RequestResults = {
  urls: new Map([
    ['1', `${ROOT}ServiceRequests(7)`],
    ['all', `${ROOT}Persons(8)`],
  ]),
  etags: new Map([['1', 'W/"3"']]),
  failed: new Set(['2']),
  ids: new Set(['1', '2', 'later', 'all']),
};

function addressOf(url: string, host?: string, root = ROOT): string {
  const { path, query } = addressOfPart(url, host, root, MADE);
  return query === '' ? path : `${path}?${query}`;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
  return 'no fault';
}

describe('OData 4.01 Protocol, "Multipart Batch Request Body": three forms of URLs, and what clients make of them', () => {
  it.each([
    ['Persons(1)?$select=Uid', 'Persons(1)?$select=Uid'],
    ['./Persons', 'Persons'],
    ['/Persons', 'Persons'],
    ['/odata/Persons?a=/odata/', 'Persons?a=/odata/'],
    ['/odata', ''],
    ['/odata/', ''],
    ['http://desk.example/odata/Persons', 'Persons'],
    ['http://DESK.example:80/odata/Persons', 'Persons'],
    ['https://desk.example:443/odata/Persons', 'Persons'],
    ["Persons?$filter=Name eq 'http://x/?'", "Persons?$filter=Name eq 'http://x/?'"],
    ['$metadata', '$metadata'],
    ['$crossjoin(A,B)', '$crossjoin(A,B)'],
  ])('%s leads to %s', (url, expected) => {
    expect(addressOf(url)).toBe(expected);
  });

  it('a Host header may name this service and no other', () => {
    expect(addressOf('/odata/Persons', 'desk.example')).toBe('Persons');
    expect(addressOf('/odata/Persons', 'desk.example:80')).toBe('Persons');
    expect(codeOf(() => addressOf('/odata/Persons', 'other.example'))).toBe('batch.foreign-url');
  });

  it.each([
    'http://other.example/odata/Persons',
    'http://desk.example:81/odata/Persons',
    'http://desk.example/token',
    'http://desk.example/odatax/Persons',
    'http://desk.example@other.example/odata/Persons',
    '//other.example/odata/Persons',
    'ftp://desk.example/odata/Persons',
    'http://[/odata/Persons',
  ])('%s is refused, since it leads elsewhere', (url) => {
    expect(codeOf(() => addressOf(url))).toBe('batch.foreign-url');
  });

  it.each(['$batch', '/odata/$batch', '%24batch', '$BATCH/', 'http://desk.example/odata/$batch?x'])(
    '%s is refused, since batches do not nest',
    (url) => {
      expect(codeOf(() => addressOf(url))).toBe('batch.nested');
    },
  );
});

describe('OData 4.01 Protocol, "Referencing Returned Entities"', () => {
  it.each([
    ['$1', 'ServiceRequests(7)'],
    ['/$1', 'ServiceRequests(7)'],
    ['$1/Workorders?$top=1', 'ServiceRequests(7)/Workorders?$top=1'],
    ['$1?$select=Uid', 'ServiceRequests(7)?$select=Uid'],
    ['%241/$value', 'ServiceRequests(7)/$value'],
  ])('%s leads to %s', (url, expected) => {
    expect(addressOf(url)).toBe(expected);
  });

  it('a system resource wins over a request of the same name', () => {
    expect(addressOf('$all')).toBe('$all');
  });

  it('a request that failed, comes later or does not exist cannot be referred to', () => {
    expect(codeOf(() => addressOf('$2/Workorders'))).toBe('batch.dependency');
    expect(codeOf(() => addressOf('$later'))).toBe('batch.reference');
    expect(codeOf(() => addressOf('$9'))).toBe('batch.reference');
  });
});

describe('OData 4.01 Protocol, "Referencing the ETag of an Entity"', () => {
  it('$1 stands for the ETag of the answer, everything else for itself', () => {
    expect(tagOfPart('If-Match', '$1', MADE)).toBe('W/"3"');
    expect(tagOfPart('If-Match', '"$1"', MADE)).toBe('"$1"');
    expect(tagOfPart('If-Match', '*', MADE)).toBe('*');
    expect(tagOfPart('If-Match', undefined, MADE)).toBeUndefined();
  });

  it('an answer without an ETag cannot be referred to', () => {
    expect(codeOf(() => tagOfPart('If-Match', '$all', MADE))).toBe('batch.reference');
    expect(codeOf(() => tagOfPart('If-Match', '$2', MADE))).toBe('batch.dependency');
  });
});
