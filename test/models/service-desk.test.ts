// This file checks the files of the built-in model as those of an installation are checked, since the service reads them without a check.
import { describe, expect, test } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { BUILT_IN_MODEL } from '../../src/cli/model-source.ts';
import { withSystem } from '../../src/edm/account-sets.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import { makeModel, type Property, structuredType } from '../../src/edm/model.ts';
import { printJson } from '../../src/edm/value/lossless-json.ts';
import { defineModel } from '../define-model.ts';
import { suiteDefinition, suiteModel } from '../service-desk.ts';

const complete = withSystem(suiteDefinition);

describe('the built-in model', () => {
  test('has no mistake in its CSDL, tables, roles and demo words', () => {
    expect(checkModelFile(BUILT_IN_MODEL)).toMatchObject({ mistakes: [], isForeign: true });
    expect(hasMistakes(lintModel(complete))).toBe(false);
  });

  test('is the same when an installation takes its directory for a model of its own', () => {
    const print = (definition: typeof complete) =>
      printJson(toCsdl(definition, { complete: true }));
    expect(print(checkModelFile(BUILT_IN_MODEL).definition)).toBe(print(complete));
  });

  test.each([
    ['Role', ['Uid', 'Name', 'Accounts']],
    ['EntityAccess', ['Uid']],
    ['AttributeAccess', ['Uid']],
  ])('%s has the members that the engine reads', (type, others) => {
    const model = suiteModel();
    const engine = makeModel(withSystem(defineModel({ namespaces: [{ name: 'Own' }] })));
    const { members: all } = structuredType(engine, `Docket.System.${type}`);
    const members = all.filter(({ name }) => !others.includes(name));
    expect(members.length).toBeGreaterThan(3);
    const own = model.members(structuredType(model, `Service.Web.OData.Model.${type}`));
    for (const member of members) {
      const { labels: _, ...found } = own.get(member.name) ?? {};
      const { kind, name } = member;
      const expected = kind === 'property' ? (member satisfies Property) : { kind, name };
      expect(found, member.name).toMatchObject(expected);
    }
  });
});
