// This file renders the documents of the service.
import { describe, expect, it } from 'vitest';
import { answer, json, ROOT } from './answers.ts';

const EMPTY = { kind: 'empty' } as const;
const document = (name: 'service' | 'metadata' | 'ping' | 'openapi', url: string, headers = {}) =>
  answer({ kind: 'document', document: name }, EMPTY, url, headers);

describe('The service document', () => {
  it('lists sets and singletons in the order of the model, then functions', () => {
    const given = document('service', '');
    expect(given.headers).toMatchObject({
      'Content-Type': 'application/json; odata.metadata=minimal',
      ETag: expect.stringMatching(/^W\/"\d+"$/),
    });
    const { value, ...rest } = json(given) as { value: unknown[] };
    expect(rest).toEqual({ '@odata.context': `${ROOT}$metadata` });
    expect(value[0]).toEqual({ name: 'Animals', kind: 'EntitySet', url: 'Animals' });
    expect(value.slice(-3)).toEqual([
      { name: 'Director', kind: 'Singleton', url: 'Director' },
      { name: 'Mascot', kind: 'Singleton', url: 'Mascot' },
      { name: 'Self', kind: 'FunctionImport', url: 'Self' },
    ]);
  });

  it('does not list what the model does not', () => {
    expect(document('service', '').body).not.toContain('Samples');
  });

  it('in 4.01, and without metadata', () => {
    const newer = document('service', '', { 'odata-maxversion': '4.01' });
    expect(json(newer)).toHaveProperty('@context', `${ROOT}$metadata`);
    const bare = document('service', '', { accept: 'application/json;odata.metadata=none' });
    expect(Object.keys(json(bare) as object)).toEqual(['value']);
  });

  it('in XML is an AtomPub service', () => {
    const given = document('service', '', { accept: 'application/xml' });
    expect(given.headers['Content-Type']).toBe('application/xml');
    expect(given.body).toContain(`<app:service xml:base="${ROOT}" m:context="${ROOT}$metadata"`);
    expect(given.body).toContain(
      '<app:collection href="Animals" m:name="Animals"><atom:title type="text">Animals</atom:title></app:collection>',
    );
    expect(given.body).toContain('<m:function-import href="Self"');
    expect(given.body).toContain('<m:singleton href="Mascot"');
  });
});

it('the ETag of a document is another one for each representation', () => {
  const tags = [
    document('service', ''),
    document('service', '', { accept: 'application/xml' }),
    document('service', '', { accept: 'application/json;odata.metadata=none' }),
    document('service', '', { 'odata-maxversion': '4.01' }),
    document('metadata', '$metadata'),
    document('metadata', '$metadata', { accept: 'text/xml' }),
  ].map(({ headers }) => headers.ETag);
  expect(new Set(tags).size).toBe(tags.length);
});

describe('The metadata document', () => {
  it.each([
    [{}, '', 'application/xml', '<edmx Version="4.0"/>'],
    [{ 'odata-maxversion': '4.01' }, '', 'application/xml', '<edmx Version="4.01"/>'],
    [{ accept: 'text/xml' }, '', 'text/xml', '<edmx Version="4.0"/>'],
    [{}, '?$format=json', 'application/json', '{"$Version":"4.01"}'],
    [
      { accept: 'application/json', 'odata-maxversion': '4.01' },
      '',
      'application/json',
      '{"$Version":"4.01"}',
    ],
    [
      { accept: 'application/json;odata.metadata=full' },
      '',
      'application/xml',
      '<edmx Version="4.0"/>',
    ],
  ])('with %j and "%s" is %s', (headers, query, type, text) => {
    const given = document('metadata', `$metadata${query}`, headers);
    expect([given.headers['Content-Type'], given.body]).toEqual([type, text]);
  });
});

it('$ping is empty', () => {
  const given = document('ping', '$ping');
  expect([given.status, given.body, given.headers['Content-Length']]).toEqual([200, '', '0']);
});

it('the OpenAPI description speaks of this address', () => {
  expect(json(document('openapi', ''))).toEqual({ root: ROOT });
});
