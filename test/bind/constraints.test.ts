// This file compiles conditions of a model (Validation.Constraint), and reports those that cannot be evaluated.
// OData CSDL JSON 4.01, "Dynamic Expression".
import { describe, expect, it } from 'vitest';
import { entityConstraints } from '../../src/bind/model/constraint.ts';
import { checkConstraints } from '../../src/bind/model/operation-check.ts';
import { type Json, makeModel, entityType as typeNamed } from '../../src/edm/model.ts';
import { printExpression } from '../../src/request/print/expression.ts';
import {
  collectionOf,
  complex,
  complexType,
  defineModel,
  entitySet,
  entityType,
  int32,
  many,
  one,
  property,
  text,
} from '../define-model.ts';

const key = { nullable: false } as const;

function modelWith(condition: Json | undefined) {
  const record = condition === undefined ? {} : { Condition: condition };
  return makeModel(
    defineModel({
      namespaces: [{ name: 'Shop' }],
      types: [
        complexType('Part', [int32('Size')]),
        entityType('Person', [int32('Id', key), text('Name')], { key: ['Id'] }),
        entityType(
          'Rental',
          [
            int32('Id', key),
            text('Kind'),
            property('On', 'Edm.Date'),
            complex('Part', 'Part'),
            collectionOf(complex('Parts', 'Part')),
            one('Renter', 'Person'),
            many('Guests', 'Person'),
          ],
          { key: ['Id'], annotations: { 'Validation.Constraint': record } },
        ),
      ],
      sets: [entitySet('Rentals', 'Rental'), entitySet('Persons', 'Person')],
      languages: ['en'],
    }),
  );
}

describe('A condition', () => {
  it.each<[Json, string]>([
    [{ $Ge: [{ $Path: 'On' }, '2026-01-01'] }, 'On ge 2026-01-01'],
    [{ $Eq: ['2026', { $Path: 'Kind' }] }, "'2026' eq Kind"],
    [
      { $And: [true, { $Not: { $Eq: [{ $Path: 'Renter/Name' }, null] } }, false] },
      'true and not (Renter/Name eq null) and false',
    ],
    [{ $In: [{ $Path: 'Kind' }, ['a', 'b']] }, "Kind in ('a','b')"],
    [
      { $If: [{ $Gt: [{ $Path: 'Part/Size' }, -1.5] }, true, false] },
      'case(Part/Size gt -1.5 : true,true : false)',
    ],
    [
      { $Eq: [{ $Apply: [{ $Path: 'Kind' }, '-', 'x'], $Function: 'odata.concat' }, 'a-x'] },
      "concat(concat(Kind,'-'),'x') eq 'a-x'",
    ],
    [
      {
        $Lt: [
          { $Path: 'On' },
          { $Apply: [{ $Apply: [], $Function: 'odata.now' }], $Function: 'odata.date' },
        ],
      },
      'On lt date(now())',
    ],
    [{ $Eq: [{ $Cast: { $Path: 'Id' }, $Type: 'Edm.String' }, '1'] }, "cast(Id,Edm.String) eq '1'"],
    [{ $Eq: [{ $Mod: [{ $Add: [{ $Path: 'Id' }, 1] }, 2] }, 0] }, '(Id add 1) mod 2 eq 0'],
  ])('%j is %s', (condition, url) => {
    const model = modelWith(condition);
    const [constraint] = entityConstraints(model, typeNamed(model, 'Shop.Rental'));
    expect(constraint && printExpression(constraint.condition())).toBe(url);
    expect(checkConstraints({ model, compile: () => false })).toEqual([]);
  });
});

describe('The check of a model reports', () => {
  it.each<[Json | undefined, string]>([
    [undefined, 'write {"FailureMessage": …, "Condition": …}'],
    [{ $Eq: [{ $Path: 'Kinds' }, 'a'] }, 'Kinds'],
    [{ $Path: 'Kind' }, 'Expected a condition'],
    [{ $Ge: [{ $Path: 'On' }, 'soon'] }, 'a date'],
    [{ $Gt: [{ $Path: 'Guests/$count' }, 0] }, 'Guests/$count reads entities that can change'],
    [{ $Eq: [{ $Path: 'Id' }] }, 'write an array of two expressions for eq'],
    [{ $Function: 'Shop.Own', $Apply: [] }, 'use a canonical function'],
    [{ $UrlRef: 'x' }, 'The dynamic expression'],
  ])('%j', (condition, message) => {
    const [mistake, ...others] = checkConstraints({
      model: modelWith(condition),
      compile: () => false,
    });
    expect([mistake?.path, others]).toEqual(['$.Shop.Rental["@Validation.Constraint"]', []]);
    expect(mistake?.message).toContain(message);
  });

  it('all mistakes in the parts of a condition, each once', () => {
    const unknown = (name: string) => ({ $Eq: [{ $Path: name }, null] });
    const model = modelWith({
      $Or: [unknown('Kin'), { $And: [unknown('Kin'), { $Not: unknown('Renterr') }] }],
    });
    const found = checkConstraints({ model, compile: () => false });
    expect(found.map(({ message }) => message)).toEqual([
      expect.stringContaining('Did you mean "Kind"?'),
      expect.stringContaining('Did you mean "Renter"?'),
    ]);
  });
});
