// This file tests what the headers ask for: version, format, conditions, languages; and what cannot be given.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { type Headers, negotiateHeaders } from '../../src/request/headers/headers.ts';
import { accepts, readAccept } from '../../src/request/headers/media-types.ts';
import type { Negotiated } from '../../src/request/tree.ts';
import { parsePath } from './pieces.ts';

function negotiated(headers: Headers, path = 'Persons', format?: string): Negotiated {
  return negotiateHeaders(headers, parsePath(path).segments.at(-1)?.kind, format);
}

/** json minimal, xml application/xml, text, …, or the code of the fault. */
function answer(headers: Headers, path?: string, format?: string): string {
  try {
    const given = negotiated(headers, path, format).format;
    if (given.kind === 'json') return `json ${given.metadata}`;
    return given.kind === 'xml' ? given.type : given.kind;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

const REFUSED = 'request.not-acceptable';

describe('the format of records', () => {
  test.each([
    [undefined, 'json minimal'],
    ['', 'json minimal'],
    ['*/*', 'json minimal'],
    ['*', 'json minimal'],
    ['application/*', 'json minimal'],
    ['application/json', 'json minimal'],
    ['APPLICATION/JSON; OData.MetaData=FULL', 'json full'],
    ['application/json;metadata=none', 'json none'],
    ['application/json;odata.metadata=minimal;odata.streaming=true', 'json minimal'],
    ['application/json;odata=verbose,text/plain,*/*', 'json minimal'],
    ['application/json;odata=fullmetadata', 'json full'],
    ['application/json;charset=utf-8', 'json minimal'],
    ['application/json;odata.metadata="full"', 'json full'],
    ['text/html, image/gif, *; q=.2, */*; q=.2', 'json minimal'],
    ['application/xml', 'application/xml'],
    ['text/xml', 'text/xml'],
    ['text/*', 'text/xml'],
    ['application/atom+xml;type=feed', 'application/atom+xml'],
    ['application/xml;q=0.5,application/json;q=0.4', 'application/xml'],
    ['application/xml;q=0.5,application/json;q=0.6', 'json minimal'],
    ['application/json;q=0.5,*/*;q=0.8', 'application/atom+xml'],
    ['application/json;q=0,*/*', 'application/atom+xml'],
    ['application/json;odata.foo=1,*/*;q=0.1', 'json minimal'],
    ['application/json;metadata=none;q=0.1,application/json;metadata=full;q=0.2', 'json full'],
    ['image/png', REFUSED],
    ['application/json;q=0', REFUSED],
    ['application/json;odata.foo=1', REFUSED],
    ['application/json;odata.metadata=huge', REFUSED],
    ['application/json;IEEE754Compatible=maybe', REFUSED],
    ['application/json;charset=latin1', REFUSED],
    ['text/plain', REFUSED],
    ['application/json;q=2', 'request.header'],
    ['json', 'request.header'],
  ])('Accept: %s gives %s', (accept, expected) => {
    expect(answer({ accept })).toBe(expected);
  });

  test('the parameters of JSON are read in both spellings, whatever their case', () => {
    const accept =
      'application/json;IEEE754Compatible=true;exponentialdecimals=TRUE;streaming=true';
    expect(negotiated({ accept }).format).toEqual({
      kind: 'json',
      metadata: 'minimal',
      ieee754Compatible: true,
      exponentialDecimals: true,
      streaming: true,
      charset: false,
    });
  });

  test.each([
    ['json', 'json minimal'],
    ['JSON', 'json minimal'],
    ['xml', 'application/xml'],
    ['atom', 'application/atom+xml'],
    ['application/json;odata.metadata=full', 'json full'],
    ['text/xml', 'text/xml'],
    ['json;odata.metadata=full', REFUSED],
    ['image/png', REFUSED],
    ['csv', 'export'],
    ['pdf', REFUSED],
  ])('$format=%s overrides Accept and gives %s', (format, expected) => {
    expect(answer({ accept: 'application/atom+xml' }, 'Persons', format)).toBe(expected);
  });

  test('the refusal names what can be given', () => {
    expect(() => negotiated({ accept: 'image/png' })).toThrow('application/json');
  });
});

describe('the format of other resources', () => {
  test.each([
    ['$metadata', undefined, undefined, undefined, 'application/xml'],
    ['$metadata', '*/*', undefined, undefined, 'application/xml'],
    ['$metadata', 'application/json;odata.metadata=full', undefined, undefined, 'application/xml'],
    ['$metadata', 'application/json', '4.0', undefined, 'application/xml'],
    ['$metadata', 'application/json', '4.01', undefined, 'json minimal'],
    ['$metadata', '*/*', '4.01', undefined, 'application/xml'],
    ['$metadata', undefined, undefined, 'json', 'json minimal'],
    ['$metadata', 'image/png', undefined, undefined, REFUSED],
    ['$batch', undefined, undefined, undefined, 'multipart'],
    ['$batch', '*/*', undefined, undefined, 'multipart'],
    ['$batch', 'multipart/mixed', undefined, undefined, 'multipart'],
    ['$batch', 'application/json', undefined, undefined, 'multipart'],
    ['$batch', 'application/json', '4.0', undefined, 'multipart'],
    ['$batch', 'application/json', '4.01', undefined, 'json minimal'],
    ['$batch', 'multipart/mixed', '4.01', undefined, 'multipart'],
    ['$batch', 'image/png', undefined, undefined, REFUSED],
    ['Persons/$count', undefined, undefined, undefined, 'text'],
    ['Persons/$count', 'text/plain', undefined, undefined, 'text'],
    ['Persons/$count', 'application/json;odata.metadata=minimal', undefined, undefined, 'text'],
    ['Persons/$count', 'image/png', undefined, undefined, REFUSED],
    ['Persons(1)/Photo/$value', 'image/png', undefined, undefined, 'raw'],
    ['$ping', 'image/png', undefined, undefined, 'raw'],
  ])(
    '%s with Accept %s, OData-MaxVersion %s, $format %s gives %s',
    (path, accept, version, format, expected) => {
      expect(answer({ accept, 'odata-maxversion': version }, path, format)).toBe(expected);
    },
  );

  test('a batch without Accept is answered in the form in which it was sent', () => {
    expect(answer({ 'content-type': 'application/json' }, '$batch')).toBe('json minimal');
    expect(answer({ 'content-type': 'multipart/mixed;boundary=b' }, '$batch')).toBe('multipart');
  });

  test('for a raw value the ranges are kept, so that its type can be compared', () => {
    const { accept } = negotiated({ accept: 'image/*, text/plain;q=0' }, 'Persons(1)/Photo/$value');
    expect(accepts(accept, 'image/png')).toBe(true);
    expect(accepts(accept, 'text/plain')).toBe(false);
    expect(accepts(accept, 'application/pdf')).toBe(false);
    expect(accepts([], 'application/pdf')).toBe(true);
    expect(accepts(readAccept('*/*;q=0, image/png'), 'image/png')).toBe(true);
    expect(accepts(readAccept('*/*;q=0, image/png'), 'image/gif')).toBe(false);
  });
});

describe('Accept-Charset', () => {
  test.each([
    ['utf-8', true],
    ['iso-8859-1,utf-8;q=0.7', true],
    ['*', false],
    ['iso-8859-1,*;q=0.1', false],
  ])('%s names the charset in the answer: %s', (charset, expected) => {
    expect(negotiated({ 'accept-charset': charset }).format).toMatchObject({ charset: expected });
  });

  test('a charset that cannot be given is refused', () => {
    expect(answer({ 'accept-charset': 'iso-8859-1' })).toBe(REFUSED);
  });
});

describe('versions', () => {
  test.each([
    [undefined, '4.0'],
    ['4.0', '4.0'],
    ['4.00', '4.0'],
    ['4.01', '4.01'],
    [' 5.0 ', '4.01'],
    ['06.2831852000', '4.01'],
  ])('OData-MaxVersion: %s is answered in %s', (value, expected) => {
    expect(negotiated({ 'odata-maxversion': value }).version).toBe(expected);
  });

  test.each(['3.0', '2.0', '4', 'x', ''])('OData-MaxVersion: %s is refused', (value) => {
    expect(answer({ 'odata-maxversion': value })).toBe('request.version');
  });

  test.each([
    [undefined, undefined, '4.01'],
    [undefined, '4.0', '4.0'],
    [undefined, '4.01', '4.01'],
    ['4.0', '4.01', '4.0'],
    ['4.01', undefined, '4.01'],
  ])(
    'a body with OData-Version %s and OData-MaxVersion %s is read as %s',
    (version, max, expected) => {
      const read = negotiated({ 'odata-version': version, 'odata-maxversion': max });
      expect(read.bodyVersion).toBe(expected);
    },
  );

  test.each(['3.0', '4.02', '4', '5.0'])('OData-Version: %s is refused', (value) => {
    expect(answer({ 'odata-version': value })).toBe('request.version');
  });
});

describe('conditions and the rest', () => {
  test.each([
    ['*', { kind: 'any' }],
    ['"a"', { kind: 'list', tags: [{ weak: false, value: 'a' }] }],
    [
      'W/"1", "b,c"',
      {
        kind: 'list',
        tags: [
          { weak: true, value: '1' },
          { weak: false, value: 'b,c' },
        ],
      },
    ],
  ])('If-Match: %s', (value, expected) => {
    expect(negotiated({ 'if-match': value }).ifMatch).toEqual(expected);
    expect(negotiated({ 'if-none-match': value }).ifNoneMatch).toEqual(expected);
  });

  test.each(['', 'a', 'w/"1"', '"a" "b"', '"a', '*, "a"'])('If-Match: %s is refused', (value) => {
    expect(answer({ 'if-match': value })).toBe('request.header');
  });

  test('languages come best first, without * and without those refused', () => {
    const header = 'en;q=0.5, de-CH, fr;q=0, *;q=0.1, it;q=0.9';
    expect(negotiated({ 'accept-language': header }).languages).toEqual(['de-CH', 'it', 'en']);
  });

  test('isolation is read in both spellings', () => {
    expect(negotiated({ isolation: 'snapshot' }).isolation).toBe('snapshot');
    expect(negotiated({ 'odata-isolation': 'sNapShoT' }).isolation).toBe('snapshot');
    expect(answer({ isolation: 'serializable' })).toBe('request.header');
  });

  test('the content type is read with its parameters', () => {
    const type = negotiated({
      'content-type': 'Multipart/Mixed; charset=UTF-8;Boundary="a;b"',
    }).contentType;
    expect(type?.name).toBe('multipart/mixed');
    expect(type?.parameters.get('boundary')).toBe('a;b');
    expect(answer({ 'content-type': 'json' })).toBe('request.header');
  });

  test('headers that nobody knows are ignored', () => {
    expect(answer({ 'x-csrf-token': 'Fetch', dataserviceversion: '2.0' })).toBe('json minimal');
  });
});
