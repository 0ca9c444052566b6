// This file checks the files of the built-in model as those of an installation are checked, since the service reads them without a check.
import { describe, expect, test } from 'vitest';
import { checkModelFile } from '../../src/cli/model-file.ts';
import { BUILT_IN_MODEL } from '../../src/cli/model-source.ts';
import { withSystem } from '../../src/edm/account-sets.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { hasMistakes, lintModel } from '../../src/edm/lint/lint.ts';
import { makeModel, structuredType } from '../../src/edm/model.ts';
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

  test('has descriptions in all its languages, and so have the elements of the engine, with labels', () => {
    const missing: string[] = [];
    const check = (element: Readonly<Record<string, unknown>>, term: string, path: string) => {
      for (const language of ['nl', 'de', 'fr'])
        if (typeof element[`@Core.${term}#${language}`] !== 'string')
          missing.push(`${path}: ${term} in ${language}`);
    };
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      const element = value as Readonly<Record<string, unknown>>;
      const isOfEngine = path.startsWith('/Docket.System/');
      const isElement = '$Kind' in element || '$Name' in element || '$Type' in element;
      if (isOfEngine && isElement && !path.includes('$ReturnType'))
        check(element, 'Description', path);
      if ('@Core.LongDescription' in element) check(element, 'LongDescription', path);
      for (const [name, child] of Object.entries(element))
        if (!name.startsWith('@')) walk(child, `${path}/${name}`);
    };
    walk(toCsdl(complete), '');
    expect(missing).toEqual([]);
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
      const { labels: __, ...declared } = member;
      const { kind, name } = declared;
      const expected = kind === 'property' ? declared : { kind, name };
      expect(found, member.name).toMatchObject(expected);
    }
  });
});
