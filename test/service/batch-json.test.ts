// This file reads and writes batches in the JSON format.
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { readJsonBatch, writeJsonBatch } from '../../src/service/batch/json-format.ts';

function read(value: unknown) {
  return readJsonBatch(value as JsonInput);
}

function mistakesOf(value: unknown): readonly (string | undefined)[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof Fault) return error.details.map((detail) => detail.target);
    throw error;
  }
  return [];
}

describe('OData 4.01 JSON Format, "Batch Requests and Responses"', () => {
  it('reads requests and gathers adjacent ones of one group', () => {
    const items = read({
      requests: [
        { id: '1', method: 'get', url: 'Persons' },
        { id: '2', atomicityGroup: 'g', method: 'post', url: 'Persons', body: { LastName: 'Li' } },
        {
          id: '3',
          atomicityGroup: 'g',
          dependsOn: ['2'],
          method: 'patch',
          url: '$2',
          body: { LastName: 'Lo' },
        },
        {
          id: '4',
          dependsOn: ['g'],
          method: 'put',
          url: 'Files(1)/$value',
          headers: { 'Content-Type': 'image/png' },
          body: 'AAEC',
        },
      ],
    });
    expect(
      items.map((item) =>
        item.kind === 'group'
          ? item.requests.map((request) => request.id)
          : item.kind === 'request' && item.request.id,
      ),
    ).toEqual(['1', ['2', '3'], '4']);
    const last = items[2];
    expect(last?.kind === 'request' && [...(last.request.body ?? [])]).toEqual([0, 1, 2]);
  });

  it('names all mistakes at once', () => {
    const targets = mistakesOf({
      requests: [
        { id: '1', method: 'get', url: 'Persons', body: {} },
        { id: '1', method: 'get', url: 'Persons' },
        { id: '2', url: 5, method: 'get' },
        { id: '3', method: 'get', url: 'x', dependsOn: ['9'] },
        { id: '4', atomicityGroup: 'g', method: 'delete', url: 'x' },
        { id: '5', method: 'get', url: 'x' },
        { id: 'g', atomicityGroup: 'g', method: 'delete', url: 'x' },
      ],
    });
    expect(targets).toEqual([
      'requests[0]/body',
      'requests[2]/url',
      'requests[1]/id',
      'requests[3]/dependsOn',
      'requests[6]/id',
      'requests[6]/atomicityGroup',
    ]);
  });

  it('names a hundred mistakes at most', () => {
    const requests = Array.from({ length: 1000 }, () => ({ url: 5 }));
    expect(mistakesOf({ requests })).toHaveLength(100);
  });

  it('tells one mistake once', () => {
    expect(mistakesOf({ requests: [{ id: 1, method: 'GET', url: 'Me' }] })).toEqual([
      'requests[0]/id',
    ]);
    expect(mistakesOf({ requests: [5] })).toEqual(['requests[0]']);
  });

  it('reads no body where it is null, and a condition as such', () => {
    const [item] = read({
      requests: [{ id: '1', method: 'delete', url: 'Persons(1)', body: null, if: '$0/$succeeded' }],
    });
    expect(item?.kind === 'request' && [item.request.body, item.request.condition]).toEqual([
      undefined,
      '$0/$succeeded',
    ]);
  });

  it.each([[null], [[]], [{}], [{ requests: {} }]])('refuses %j, which is no batch', (value) => {
    expect(() => read(value)).toThrow('requests');
  });

  it('writes JSON bodies as they are, text as strings, bytes as base64url', () => {
    const answer = (id: string, type: string, body: string) => ({
      kind: 'answer' as const,
      answer: {
        id,
        status: 200,
        headers: { 'Content-Type': type },
        requestId: 'r.1',
        body: Buffer.from(body, 'latin1'),
      },
    });
    const text = writeJsonBatch([
      answer('1', 'application/json;odata.metadata=minimal', '{"n":9007199254740993}'),
      answer('2', 'text/plain', '7'),
      answer('3', 'image/png', '\u00ff\u00fe'),
    ]);
    expect(text).toContain('"body":{"n":9007199254740993}');
    expect(text).toContain('"body":"7"');
    expect(text).toContain('"body":"__4"');
  });
});
