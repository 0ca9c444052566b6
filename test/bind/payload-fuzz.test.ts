// This file throws bodies at the models: right ones, which are taken without a mistake, ones that are wrong in one place, of which
// that place is told, and any JSON at all, which is answered by a fault or taken, but never by a crash.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { checkBody, DEFAULT_BODY_LIMITS } from '../../src/bind/body/body-limits.ts';
import { entityType, type Model } from '../../src/edm/model.ts';
import type { JsonInput } from '../../src/edm/value/lossless-json.ts';
import { oddModel } from '../odd-model.ts';
import { sampleSize } from '../sample-size.ts';
import { suiteModel } from '../service-desk.ts';
import { bodyOf, garbledBody } from './arbitrary-body.ts';
import { faultOf, readBody } from './bodies.ts';

const suite = suiteModel();
const sets: readonly (readonly [string, string, Model])[] = [
  ...['Animals', 'Keepers', 'Enclosures', 'AllSpecies', 'Passports', 'Oddities', 'Samples'].map(
    (set) => ['the zoo', set, oddModel] as const,
  ),
  ...['ServiceRequests', 'Changes', 'ConfigurationItems', 'Persons', 'MaintenanceContracts'].map(
    (set) => ['the suite', set, suite] as const,
  ),
];

function typeOf(model: Model, set: string) {
  return entityType(model, model.sets.get(set)?.type ?? '');
}

describe.each(sets)('of %s, a body for %s', (_, set, model) => {
  test('that is right by its types is taken', () => {
    fc.assert(
      fc.property(bodyOf(model, typeOf(model, set)), (body) => {
        readBody(model, set, body);
        readBody(model, set, body, { mode: 'merge', version: '4.0' });
        readBody(model, set, body, { mode: 'replace' });
      }),
      { numRuns: sampleSize(30, 60) },
    );
  });

  test('that is wrong in one place is refused with that place', () => {
    fc.assert(
      fc.property(garbledBody(model, typeOf(model, set)), ({ body, name }) => {
        const isKey = model.key(typeOf(model, set)).some(({ path }) => path === name);
        // The key of the body is passed over where the address has one.
        for (const mode of isKey ? (['create'] as const) : (['create', 'merge'] as const)) {
          const fault = faultOf(() => readBody(model, set, body, { mode }));
          expect(fault.status).toBe(400);
          const targets = fault.details.map(({ target = '' }) => target);
          expect(
            targets.every(
              (target) =>
                target === name || target.startsWith(`${name}/`) || target.startsWith(`${name}[`),
            ),
          ).toBe(true);
        }
      }),
      { numRuns: sampleSize(40, 80) },
    );
  });

  test('that is any JSON is taken or refused', () => {
    const names = [...model.members(typeOf(model, set)).keys()];
    const key = fc.oneof(
      fc.constantFrom(...names),
      fc
        .constantFrom(...names)
        .chain((name) =>
          fc.constantFrom(`${name}@odata.bind`, `${name}@delta`, `${name}@odata.type`),
        ),
      fc.constantFrom(
        '__proto__',
        'constructor',
        '@odata.type',
        '@odata.id',
        '@removed',
        'value',
        '@',
        '@@',
        'x@y@z',
      ),
      fc.string(),
    );
    const { json } = fc.letrec<{ json: JsonInput }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonInput>(null, true, 1, 'x', 9223372036854775808n),
        fc.array(tie('json'), { maxLength: 3 }),
        fc
          .array(fc.tuple(key, tie('json')), { maxLength: 6 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom('create', 'merge', 'replace'), (body, mode) => {
        try {
          readBody(model, set, body, { mode });
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
      { numRuns: sampleSize(75, 150) },
    );
  });
});

describe('a body that is too much', () => {
  test('nested ten thousand levels deep is refused', () => {
    let body: JsonInput = 1;
    for (let level = 0; level < 10_000; level++) body = level % 2 === 0 ? [body] : { a: body };
    expect(faultOf(() => checkBody(body, DEFAULT_BODY_LIMITS)).code).toBe('write.too-deep');
  });

  test('with more values than the limit is refused', () => {
    const body = Array.from({ length: 1000 }, () => Array.from({ length: 300 }, () => 1));
    expect(faultOf(() => checkBody(body, DEFAULT_BODY_LIMITS)).code).toBe('write.too-large');
    expect(() => checkBody([[1], { a: 2 }], { depth: 2, values: 5 })).not.toThrow();
    expect(faultOf(() => checkBody([[1], { a: 2 }], { depth: 1, values: 5 })).code).toBe(
      'write.too-deep',
    );
  });
});
