// This file checks models/custom-fields, the numbered custom slots that an installation can take into its additions: which there are, that
// none but ServicecallCode1 is in the model as shipped, and that what is taken becomes part of the model.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import {
  isStructured,
  type ModelDefinition,
  makeModel,
  simpleName,
  structuredType,
} from '../../src/edm/model.ts';
import { suiteDefinition } from '../service-desk.ts';

const DIRECTORY = join(import.meta.dirname, '../../models/custom-fields');
const full = checkModelFile(DIRECTORY);
const builtIn = new Set(membersOf(suiteDefinition).map(({ type, member }) => `${type}/${member}`));
const slots = membersOf(full.definition).filter(({ isCustom, type, member }) => {
  const isAdded = !builtIn.has(`${type}/${member}`) && /\d$/.test(member);
  return isCustom || isAdded;
});

const directory = mkdtempSync(join(tmpdir(), 'docket-slots-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function membersOf({ types }: ModelDefinition) {
  return types.filter(isStructured).flatMap((type) =>
    type.members.map((member) => ({
      type: simpleName(type.name),
      member: member.name,
      isCustom: member.kind === 'property' && member.custom === true,
    })),
  );
}

function memberOf(definition: ModelDefinition, type: string, name: string) {
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
    const found = slots.filter(({ member }) => new RegExp(`^${prefix}\\d+$`).test(member));
    expect(found.map(({ member }) => Number(member.slice(prefix.length))).sort(byNumber)).toEqual(
      Array.from({ length: count }, (_, index) => index + 1),
    );
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set([entity]));
  });

  test('each coded slot has a code list of its own', () => {
    const lists = full.definition.types
      .filter(isStructured)
      .flatMap((type) =>
        type.members.flatMap((member) =>
          member.kind === 'property' && member.custom === true && member.codeList !== undefined
            ? [[member.name, member.codeList]]
            : [],
        ),
      );
    expect(lists.length).toBe(90);
    expect(lists.filter(([name, list]) => name !== list)).toEqual([]);
  });
});

function byNumber(left: number, right: number): number {
  return left - right;
}

describe('the model', () => {
  test('as shipped has ServicecallCode1 and no other slot', () => {
    const present = membersOf(suiteDefinition).filter(({ isCustom }) => isCustom);
    expect(present.map(({ type, member }) => `${type}/${member}`)).toEqual([
      'ServiceRequest/ServicecallCode1',
    ]);
    const names = new Set(membersOf(suiteDefinition).map(({ member }) => member));
    expect(slots.map(({ member }) => member).filter((name) => names.has(name))).toEqual([
      'ServicecallCode1',
    ]);
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

  test.each([
    ['ServiceRequest', 'SerShorttext1', { facets: { maxLength: 80 } }],
    ['Problem', 'ProblemText3', { type: 'Edm.String', facets: { maxLength: 255 } }],
    ['Workorder', 'Wor4k2', { facets: { maxLength: 4000 } }],
    [
      'ConfigurationItem',
      'CiDate1',
      { type: 'Edm.DateTimeOffset', labels: { en: 'Date 1', nl: 'Datum 1' } },
    ],
    ['Person', 'PerNumber1', { type: 'Edm.Decimal', custom: true }],
    ['Organization', 'OrgBoolean5', { type: 'Edm.Boolean' }],
    ['Change', 'ChaDuration1', { type: 'Edm.Duration' }],
    [
      'ServiceRequest',
      'ScPerson2',
      { kind: 'navigation', target: 'Service.Web.OData.Model.Person' },
    ],
    ['Workorder', 'WorOrganization1', { target: 'Service.Web.OData.Model.Organization' }],
  ])('%s/%s has its type and its texts', (type, name, expected) => {
    expect(memberOf(full.definition, type, name)).toMatchObject(expected);
  });

  test('takes up all slots at once', () => {
    expect(full.mistakes).toEqual([]);
    const set = full.definition.sets.find(({ name }) => name === 'ServiceRequests');
    expect(set?.bindings).toMatchObject({ ScPerson2: 'Persons' });
  });

  test('takes up the slots that an installation copies, with its own texts and codes', () => {
    cpSync(join(DIRECTORY, 'custom-fields.csdl.json'), join(directory, 'all.csdl.json'));
    writeFileSync(
      join(directory, 'labels.csv'),
      'type,member,en\nProblem,ProblemText3,Cost centre\n',
    );
    const lists = full.definition.codeLists
      .map(({ name }) => name)
      .filter((name) => /\d$/.test(name));
    const names = lists.filter((name) => name !== 'ServicecallCode1').join('\n');
    writeFileSync(join(directory, 'code-lists.csv'), `list\n${names}\n`);
    writeFileSync(join(directory, 'codes.csv'), 'list,value,en\nLocCode1,900001,A\n');
    const { definition, mistakes } = checkModelFile(directory);
    expect(mistakes).toEqual([]);
    expect(memberOf(definition, 'Problem', 'ProblemText3')?.labels).toEqual({ en: 'Cost centre' });
    const list = definition.codeLists.find(({ name }) => name === 'LocCode1');
    expect(list?.codes).toEqual([{ value: 900001n, texts: { en: 'A' } }]);
  });
});
