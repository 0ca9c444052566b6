// This file checks labels.csv: which elements a row names, what it replaces and what it fills in.
import { describe, expect, test } from 'vitest';
import { isStructured } from '../../../src/edm/model.ts';
import type { Mistake } from '../../../src/edm/model-error.ts';
import { applyLabels } from '../../../src/edm/tables/label-table.ts';
import { enumType } from '../../define.ts';
import {
  actionImport,
  actionOf,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int32,
  parameter,
  text,
} from '../../define-model.ts';

const definition = defineModel({
  namespaces: [{ name: 'Library' }],
  types: [
    entityType('Book', [int32('Id', { nullable: false }), text('Name')], { key: ['Id'] }),
    complexType('Place', [text('Name', { labels: { en: 'Name of the place' } })]),
    enumType('Colour', { Red: 1 }),
  ],
  sets: [entitySet('Books', 'Book')],
  operations: [actionOf('Lend', [parameter(text('Reason'))])],
  imports: [actionImport('Lend', 'Library.Lend')],
  languages: ['en', 'nl'],
});

function label(rows: string) {
  const mistakes: Mistake[] = [];
  const file = { name: 'labels.csv', text: `type,member,en,nl\n${rows}` };
  return { ...applyLabels(definition, file, mistakes), mistakes };
}

function memberLabels(rows: string) {
  const { types } = label(rows);
  const members = types
    .filter(isStructured)
    .flatMap((type) => type.members.map(({ name, labels }) => [`${type.name}/${name}`, labels]));
  return Object.fromEntries(members);
}

describe('labels.csv', () => {
  test('names types, sets, imports, operations, parameters and members of enumerations', () => {
    const { types, sets, imports, operations, mistakes } = label(
      'Book,,Book,Boek\nContainer,Books,Books,Boeken\nContainer,Lend,Lending,\nLend,,Lend,\nLibrary.Lend,Reason,Reason,Reden\nColour,,Colour,\nColour,Red,Red,Rood\n',
    );
    expect(mistakes).toEqual([]);
    expect(types[0]?.labels).toEqual({ en: 'Book', nl: 'Boek' });
    expect(sets[0]?.labels).toEqual({ en: 'Books', nl: 'Boeken' });
    expect(imports[0]?.labels).toEqual({ en: 'Lending' });
    expect(operations[0]).toMatchObject({
      labels: { en: 'Lend' },
      parameters: [{ labels: { en: 'Reason', nl: 'Reden' } }],
    });
    expect(types[2]).toMatchObject({
      labels: { en: 'Colour' },
      members: [{ labels: { en: 'Red', nl: 'Rood' } }],
    });
  });

  test('a row without a type fills in what no annotation and no other row says', () => {
    expect(memberLabels(',Name,Name,Naam\nBook,Name,Title,\n')).toMatchObject({
      'Library.Book/Name': { en: 'Title', nl: 'Naam' },
      'Library.Place/Name': { en: 'Name of the place', nl: 'Naam' },
    });
  });

  test('a row that names its element goes before an annotation', () => {
    expect(memberLabels('Place,Name,Place,\n')).toMatchObject({
      'Library.Place/Name': { en: 'Place' },
    });
  });

  test.each([
    ['a type that the model does not have', 'Bok,,Book,', 'labels.csv:2:1', '"Book"'],
    ['a member that the type does not have', 'Book,Nam,Name,', 'labels.csv:2:6', '"Name"'],
    ['a member that no type has', ',Nam,Name,', 'labels.csv:2:2', '"Name"'],
    ['neither type nor member', ',,Name,', 'labels.csv:2:2', 'Fill it in'],
    ['an element twice', 'Book,,A,\nLibrary.Book,,B,', 'labels.csv:3:1', 'Remove one'],
  ])('%s is a mistake with its place and remedy', (_, rows, path, remedy) => {
    expect(label(rows).mistakes).toMatchObject([{ path, remedy: expect.stringContaining(remedy) }]);
  });
});
