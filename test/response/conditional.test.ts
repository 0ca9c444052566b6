// This file applies preconditions to responses.
import { describe, expect, it } from 'vitest';
import { readConditions } from '../../src/request/headers/entity-tags.ts';
import { conditional } from '../../src/response/conditional.ts';
import type { Answer } from '../../src/response/response.ts';

const answer: Answer = {
  status: 200,
  headers: {
    'OData-Version': '4.0',
    Vary: 'Accept',
    'Content-Type': 'application/json',
    'Content-Language': 'en',
    ETag: 'W/"3.abc"',
  },
  body: '{}',
};

const given = (headers: Readonly<Record<string, string>>, of = answer) =>
  conditional(of, readConditions(headers));

describe('If-None-Match', () => {
  it.each([
    ['W/"3.abc"', 304],
    ['"3.abc"', 304],
    ['"1", W/"3.abc"', 304],
    ['*', 304],
    ['W/"3"', 200],
    ['W/"3.abd"', 200],
    ['W/"4.abc"', 200],
    ['W/"3.abc.abc"', 200],
  ])('%s gives %i', (tag, status) => {
    expect(given({ 'if-none-match': tag }).status).toBe(status);
  });

  it('304 has what a cache needs, and nothing about a body', () => {
    const { headers, body } = given({ 'if-none-match': '*' });
    expect(headers).toEqual({ 'OData-Version': '4.0', Vary: 'Accept', ETag: 'W/"3.abc"' });
    expect(body).toBeUndefined();
  });

  it('an entity tag is not enough, even where the response has it', () => {
    const entry = { ...answer, headers: { ETag: 'W/"3"' } };
    expect(given({ 'if-none-match': 'W/"3"' }, entry)).toBe(entry);
    expect(given({ 'if-none-match': '*' }, entry).status).toBe(304);
  });

  it.each([204, 206])('does not matter to a response with status %i', (status) => {
    expect(given({ 'if-none-match': '*' }, { ...answer, status }).status).toBe(status);
  });

  it('does not matter to a response without ETag', () => {
    const plain = { ...answer, headers: {} };
    expect(given({ 'if-none-match': '*', 'if-match': '"x"' }, plain)).toBe(plain);
  });
});

describe('If-Match', () => {
  it.each(['W/"3"', 'W/"3.abc"', 'W/"3.other"', '*'])('%s is met by any representation', (tag) => {
    expect(given({ 'if-match': tag })).toBe(answer);
  });

  it.each(['W/"4"', 'W/"4.abc"', '"x"'])('%s of another version is 412', (tag) => {
    expect(() => given({ 'if-match': tag })).toThrow(
      expect.objectContaining({ status: 412, code: 'response.changed' }),
    );
  });
});
