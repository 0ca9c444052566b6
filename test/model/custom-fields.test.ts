// This file checks the numbered custom slots: which there are, and that only enabled ones are part of the model.
import { describe, expect, test } from 'vitest';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import { isStructured, makeModel, structuredType } from '../../src/edm/model.ts';
import {
  type EnabledSlot,
  shippedSlots,
  slotListNumber,
  slots,
} from '../../src/model/custom-fields.ts';
import { defineSuite, suiteDefinition } from '../../src/model/index.ts';

function enabled(name: string, rest: Omit<EnabledSlot, 'slot'> = {}): EnabledSlot {
  const slot = slots.get(name);
  if (slot === undefined) throw new Error(`no slot ${name}`);
  return { slot, ...rest };
}

function memberOf(definition: typeof suiteDefinition, type: string, name: string) {
  const model = makeModel(definition);
  return model.members(structuredType(model, `Service.Web.OData.Model.${type}`)).get(name);
}

describe('slots', () => {
  test.each([
    ['ServicecallCode', 10, 'ServiceRequest'],
    ['ServicecallText', 20, 'ServiceRequest'],
    ['SerShorttext', 10, 'ServiceRequest'],
    ['Ser4k', 2, 'ServiceRequest'],
    ['SerBoolean', 15, 'ServiceRequest'],
    ['ScPerson', 4, 'ServiceRequest'],
    ['ProblemDate', 6, 'Problem'],
    ['ChaPerson', 2, 'Change'],
    ['IncDuration', 2, 'Incident'],
    ['WorOrganization', 1, 'Workorder'],
    ['CiPerson', 1, 'ConfigurationItem'],
    ['PerCode', 5, 'Person'],
    ['McBoolean', 5, 'MaintenanceContract'],
    ['PrjNumber', 2, 'Project'],
  ])('%s1 to %i belong to %s', (prefix, count, entity) => {
    const found = [...slots.values()].filter(({ name }) =>
      new RegExp(`^${prefix}\\d+$`).test(name),
    );
    expect(found.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
    expect(new Set(found.map((slot) => slot.entity))).toEqual(new Set([entity]));
  });

  test('each coded slot has a list number of its own', () => {
    const coded = [...slots.values()].filter(({ kind }) => kind === 'code');
    const numbers = coded.map(slotListNumber);
    expect(numbers[0]).toBe(500);
    expect(new Set(numbers).size).toBe(coded.length);
  });
});

describe('the model', () => {
  test('as shipped has ServicecallCode1 and no other slot', () => {
    expect(shippedSlots.map(({ slot }) => slot.name)).toEqual(['ServicecallCode1']);
    const present = suiteDefinition.types
      .filter(isStructured)
      .flatMap((type) => type.members.map(({ name }) => name));
    expect(present.filter((name) => slots.has(name))).toEqual(['ServicecallCode1']);
  });

  test('a coded slot takes its value from the list of the same name', () => {
    expect(memberOf(suiteDefinition, 'ServiceRequest', 'ServicecallCode1')).toMatchObject({
      type: 'Service.Web.OData.Model.Code',
      codeList: 'ServicecallCode1',
      custom: true,
      labels: { en: 'Cost bearer' },
    });
    const list = suiteDefinition.codeLists.find(({ name }) => name === 'ServicecallCode1');
    expect(list?.codes.map(({ value }) => value)).toEqual([500001n, 500002n, 500003n, 500004n]);
  });

  test('takes up every slot that an installation enables, with its type and its texts', () => {
    const labels = { en: 'Cost centre', nl: 'Kostenplaats' };
    const definition = defineSuite([
      enabled('ProblemText3', { labels }),
      enabled('SerShorttext1'),
      enabled('Wor4k2'),
      enabled('CiDate1'),
      enabled('PerNumber1'),
      enabled('OrgBoolean5'),
      enabled('ChaDuration1'),
      enabled('ScPerson2'),
      enabled('WorOrganization1'),
      enabled('LocCode1', { codes: [{ meaning: 'A', texts: { en: 'A' } }] }),
    ]);
    expect(hasMistakes(lintModel(definition))).toBe(false);
    expect(memberOf(definition, 'ServiceRequest', 'ServicecallCode1')).toBeUndefined();
    expect(memberOf(definition, 'Problem', 'ProblemText3')).toMatchObject({
      type: 'Edm.String',
      facets: { maxLength: 255 },
      labels,
    });
    expect(memberOf(definition, 'ServiceRequest', 'SerShorttext1')).toMatchObject({
      facets: { maxLength: 80 },
    });
    expect(memberOf(definition, 'Workorder', 'Wor4k2')).toMatchObject({
      facets: { maxLength: 4000 },
    });
    expect(memberOf(definition, 'ConfigurationItem', 'CiDate1')).toMatchObject({
      type: 'Edm.DateTimeOffset',
      labels: { en: 'Date 1' },
    });
    expect(memberOf(definition, 'Person', 'PerNumber1')).toMatchObject({
      type: 'Edm.Decimal',
      custom: true,
    });
    expect(memberOf(definition, 'Organization', 'OrgBoolean5')).toMatchObject({
      type: 'Edm.Boolean',
    });
    expect(memberOf(definition, 'Change', 'ChaDuration1')).toMatchObject({ type: 'Edm.Duration' });
    expect(memberOf(definition, 'ServiceRequest', 'ScPerson2')).toMatchObject({
      kind: 'navigation',
      target: 'Service.Web.OData.Model.Person',
    });
    expect(memberOf(definition, 'Workorder', 'WorOrganization1')).toMatchObject({
      target: 'Service.Web.OData.Model.Organization',
    });
    expect(definition.sets.find(({ name }) => name === 'ServiceRequests')?.bindings).toMatchObject({
      ScPerson2: 'Persons',
    });
  });

  test('takes up all slots at once', () => {
    const definition = defineSuite([...slots.keys()].map((name) => enabled(name)));
    expect(hasMistakes(lintModel(definition))).toBe(false);
  });
});
