// This file checks that mistakes in the expressions of a model are reported with their path: operations, conditions, generated values
// and defaults.
import { describe, expect, test } from 'vitest';
import { checkConditions, checkOperations } from '../../src/bind/model/operation-check.ts';
import { checkProperties } from '../../src/bind/model/property-check.ts';
import {
  type Effect,
  type Model,
  makeModel,
  type Operation,
  type Property,
} from '../../src/edm/model.ts';
import { compiler } from '../../src/sql/check-expression.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { binding } from '../define.ts';
import {
  actionOf,
  defineModel,
  entitySet,
  entityType,
  functionOf,
  int64,
  parameter,
  returning,
  text,
} from '../define-model.ts';
import { oddModel } from '../odd-model.ts';
import { suiteModel } from '../service-desk.ts';

const key = { nullable: false, generated: { by: 'key' } } as const;

/** The model with compilation for both databases. */
function checkOf(model: Model) {
  return { model, compile: compiler(makeLayout(model)) };
}

const mistakesOf = (operation: Operation): readonly string[] =>
  checkOperations(
    checkOf(
      makeModel(
        defineModel({
          namespaces: [{ name: 'Shop' }],
          types: [entityType('Item', [int64('Id', key), text('Name')], { key: ['Id'] })],
          sets: [entitySet('Items', 'Item')],
          operations: [operation],
          languages: ['en'],
        }),
      ),
    ),
  ).map(({ path, message }) => `${path} ${message}`);

const acting = (...effects: readonly Effect[]): Operation =>
  actionOf('Act', [binding('Item'), parameter(text('To'))], { bound: true, effects });

describe('expressions of operations', () => {
  test('of the models here are without mistakes', () => {
    expect(checkOperations(checkOf(oddModel))).toEqual([]);
    expect(checkOperations(checkOf(suiteModel()))).toEqual([]);
  });

  test.each([
    ["concat(Name,'x", 'Expression'],
    ['Nam', 'Did you mean "Name"'],
    ['$root/Itmes', 'Itmes'],
  ])('what %s says is told with its place', (expression, told) => {
    const returns = returning('Edm.String');
    const mistakes = mistakesOf(
      functionOf('F', [binding('Item')], { bound: true, returns, expression }),
    );
    expect(mistakes).toEqual([expect.stringContaining(told)]);
    expect(mistakes[0]).toContain('@Docket.Expression');
  });

  test.each([
    ['$root/Items?$orderby=Nam', 'Did you mean "Name"'],
    ["$root/Items?$skip='1'", '$orderby, $top and $skip'],
    ['$root/Items/$count?$top=1', 'Name a collection of entities'],
    ['$root/Items?$filter=Id eq 1', '$filter'],
    ['$root/Items?$top=1&$top=2', '$top'],
    ['$root/Items?$top=1 2', 'the end of'],
  ])('the options of %s are checked', (expression, message) => {
    const returns = { ...returning('Item'), collection: true };
    const [mistake] = mistakesOf(functionOf('F', [], { returns, expression }));
    expect(mistake).toContain(message);
    expect(mistake).toContain('@Docket.Expression');
  });

  test('a result that is ordered and limited compiles for every database', () => {
    const returns = { ...returning('Item'), collection: true };
    for (const options of ['$orderby=Name desc,Id', '$skip=@n&$top=@n&$orderby=Name']) {
      const expression = `$root/Items?${options}`;
      const count = parameter(int64('n'));
      expect(mistakesOf(functionOf('F', [count], { returns, expression }))).toEqual([]);
    }
  });

  test.each<[Effect, string]>([
    [{ kind: 'require', condition: 'Name', message: 'x' }, 'Name'],
    [{ kind: 'require', condition: '@Too eq 1 and', message: 'x' }, 'Effects'],
    [{ kind: 'change', rows: 'Name', values: {} }, 'is not a path to entities'],
    [{ kind: 'change', rows: '$it', values: { Nam: '@To' } }, 'Nam in Shop.Item'],
    [{ kind: 'change', rows: '$it', values: { Name: 'length(' } }, 'length('],
    [{ kind: 'create', in: '$it', values: {} }, 'is not a path to a collection of entities'],
    [{ kind: 'delete', rows: '$root/Nothing' }, 'Nothing'],
  ])('an effect such as %j is told', (effect, told) => {
    expect(mistakesOf(acting(effect))).toEqual([expect.stringContaining(told)]);
  });

  test('later effects know what earlier ones have made', () => {
    const made: Effect = { kind: 'create', in: '$root/Items', values: { Name: '@To' }, as: 'one' };
    const change: Effect = {
      kind: 'change',
      rows: '@one',
      values: { Name: "concat(@one/Name,'!')" },
    };
    expect(mistakesOf(acting(made, change))).toEqual([]);
  });
});

describe('conditions on which entities are recorded by the service', () => {
  const mistakes = (recorded: string) =>
    checkConditions(
      checkOf(
        makeModel(
          defineModel({
            namespaces: [{ name: 'Shop' }],
            types: [
              entityType('Item', [int64('Id', key), text('Name')], { key: ['Id'], recorded }),
            ],
            sets: [entitySet('Items', 'Item')],
            languages: ['en'],
          }),
        ),
      ),
    ).map(({ path, message }) => `${path} ${message}`);

  test('of the built-in model are without mistakes', () => {
    expect(checkConditions(checkOf(suiteModel()))).toEqual([]);
    expect(mistakes("Name eq 'x' and @account ne null")).toEqual([]);
  });

  test.each([
    "Nam eq 'x' and (Idd gt 1 or not (Name eq 5))",
    'not (Nam ne null and Idd gt 1) and Name eq 5 and Id gt 1',
  ])('all mistakes in the parts of %s are reported', (recorded) => {
    const [first, second, third, ...others] = mistakes(recorded);
    expect(first).toContain('Did you mean "Name"?');
    expect(second).toContain('Did you mean "Id"?');
    expect(third).toContain('Name eq 5');
    expect(others).toEqual([]);
  });

  test.each([
    ["Nam eq 'x'", 'Did you mean "Name"?'],
    ['Name', 'Name: '],
    ['Name eq', 'Name eq: '],
  ])('%s is reported with its place', (recorded, message) => {
    expect(mistakes(recorded)).toEqual([expect.stringContaining(message)]);
    expect(mistakes(recorded)[0]).toContain('$.Shop.Item["@Docket.Recorded"]');
  });
});

describe('results and values of another type', () => {
  test.each([
    ['Name', 'Edm.Int32', 'The expression has the type Edm.String, not Edm.Int32.'],
    ['$root/Items', 'Shop.Item', 'not Shop.Item.'],
    ['$it', 'Edm.String', 'not Edm.String.'],
  ])('%s is not a result of the type %s', (expression, type, text_) => {
    const returns = returning(type);
    const operation = functionOf('F', [binding('Item')], { bound: true, returns, expression });
    expect(mistakesOf(operation)).toEqual([expect.stringContaining(text_)]);
  });

  test('an effect cannot set a property to an entity', () => {
    const change: Effect = { kind: 'change', rows: '$it', values: { Name: '$it' } };
    expect(mistakesOf(acting(change))).toEqual([
      expect.stringContaining('Name: The expression has the type Shop.Item, not Edm.String.'),
    ]);
  });

  test('a function that calls itself is rejected', () => {
    const returns = returning('Edm.String');
    const operation = functionOf('F', [binding('Item')], {
      bound: true,
      returns,
      expression: '$it/Shop.F()',
    });
    expect(mistakesOf(operation)).toEqual([expect.stringContaining('calls itself')]);
  });
});

describe('generated values and defaults', () => {
  const mistakes = (property: Property) =>
    checkProperties(
      checkOf(
        makeModel(
          defineModel({
            namespaces: [{ name: 'Shop' }],
            types: [
              entityType('Item', [int64('Id', key), text('Name'), property], { key: ['Id'] }),
            ],
            sets: [entitySet('Items', 'Item')],
            languages: ['en'],
          }),
        ),
      ),
    ).map(({ path, message }) => `${path} ${message}`);
  const generated = (expression: string) =>
    mistakes(text('Code', { generated: { by: 'expression', expression } }));

  test.each([
    ["concat(Name,'!')", []],
    ['@now', [expect.stringContaining('Edm.DateTimeOffset, not Edm.String')]],
    ['concat(Nam,Name)', [expect.stringContaining('$.Shop.Item.Code["@Docket.Generated"]')]],
    ['length(Name)', [expect.stringContaining('Edm.Int32, not Edm.String')]],
  ])('the expression %s', (expression, expected) => {
    expect(generated(expression)).toEqual(expected);
  });

  test('a default that is not a value of the type', () => {
    expect(mistakes({ ...text('Code'), defaultValue: 7 })).toEqual([
      expect.stringContaining('$.Shop.Item.Code.$DefaultValue'),
    ]);
    expect(mistakes({ ...text('Code'), defaultValue: 'x' })).toEqual([]);
  });
});
