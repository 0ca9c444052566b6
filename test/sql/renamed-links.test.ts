// This file renames entity sets, types and navigations of many-to-many relations whose navigations have partners of the same name. Each
// link table is kept under its new name, whatever the order of the navigations.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeModel, type Navigation } from '../../src/edm/model.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { planMigration } from '../../src/sql/schema/migration.ts';
import { makeLayout, storedLayout } from '../../src/sql/schema/model-layout.ts';
import { planRenames } from '../../src/sql/schema/rename-steps.ts';
import { renamesOf } from '../../src/sql/schema/renames.ts';
import { defineModel, entitySet, entityType, int64, many, one, text } from '../define-model.ts';

/** The names of the new model, by those of the old one. */
type NewNames = ReadonlySet<string>;

interface Relation {
  readonly name: string;
  readonly isMany: boolean;
}

const RELATIONS: readonly Relation[] = [
  { name: 'Lot', isMany: false },
  { name: 'Tag', isMany: true },
  { name: 'Box', isMany: true },
];
const NAMES = ['SampleSet', ...RELATIONS.flatMap(({ name }) => [`${name}Set`, `${name}Link`])];
const BACK = 'Samples';

/** Each relation leads from Sample to a type of its own, whose navigation back has the same name as those of the others. */
function layoutOf(relations: readonly Relation[], renamed: NewNames) {
  const named = (name: string) =>
    renamed.has(name) ? { name: `A${name}`, renamedFrom: name } : { name };
  const set = (type: string) => {
    const { name, ...options } = named(`${type}Set`);
    return entitySet(name, type, options);
  };
  const link = ({ name: target, isMany }: Relation): Navigation => {
    const { name, ...options } = named(`${target}Link`);
    return (isMany ? many : one)(name, target, { ...options, partner: BACK });
  };
  const back = ({ name }: Relation) => many(BACK, 'Sample', { partner: named(`${name}Link`).name });
  const key = int64('Id', { nullable: false, generated: { by: 'key' } });
  const model = defineModel({
    namespaces: [{ name: 'Test' }],
    types: [
      entityType('Sample', [key, text('Name'), ...relations.map(link)], { key: ['Id'] }),
      ...relations.map((one) => entityType(one.name, [key, back(one)], { key: ['Id'] })),
    ],
    sets: ['Sample', ...relations.map(({ name }) => name)].map(set),
  });
  return makeLayout(makeModel(model));
}

it('no link is lost when sets and navigations are renamed whose partners have the same name', () => {
  const orders = fc.shuffledSubarray([...RELATIONS], { minLength: RELATIONS.length });
  fc.assert(
    fc.property(orders, fc.subarray(NAMES), (relations, names) => {
      const [old, next] = [layoutOf(relations, new Set()), layoutOf(relations, new Set(names))];
      const [installed, wanted] = [storedLayout(old), storedLayout(next)];
      const { layout } = planRenames(installed, wanted, renamesOf(next), SQLITE);
      expect(layout.links).toHaveLength(2);
      expect(planMigration(layout, wanted, SQLITE).map((step) => step.text)).toEqual([]);
    }),
    {
      numRuns: 200,
      examples: [
        [[...RELATIONS], ['TagSet']],
        [[...RELATIONS].reverse(), ['TagSet']],
      ],
    },
  );
});
