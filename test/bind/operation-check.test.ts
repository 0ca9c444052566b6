// This file checks that mistakes in the expressions of a model's operations are told with their place.
import { describe, expect, test } from 'vitest';
import { checkConditions, checkOperations } from '../../src/bind/model/operation-check.ts';
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
} from '../../src/edm/define.ts';
import { type Effect, makeModel, type Operation } from '../../src/edm/model.ts';
import { binding } from '../define.ts';
import { oddModel } from '../odd-model.ts';
import { suiteModel } from '../service-desk.ts';

const key = { nullable: false, generated: { by: 'key' } } as const;

const mistakesOf = (operation: Operation): readonly string[] =>
  checkOperations(
    makeModel(
      defineModel({
        namespaces: [{ name: 'Shop' }],
        types: [entityType('Item', [int64('Id', key), text('Name')], { key: ['Id'] })],
        sets: [entitySet('Items', 'Item')],
        operations: [operation],
        languages: ['en'],
      }),
    ),
  ).map(({ path, message }) => `${path} ${message}`);

const acting = (...effects: readonly Effect[]): Operation =>
  actionOf('Act', [binding('Item'), parameter(text('To'))], { bound: true, effects });

describe('expressions of operations', () => {
  test('of the models here are without mistakes', () => {
    expect(checkOperations(oddModel)).toEqual([]);
    expect(checkOperations(suiteModel())).toEqual([]);
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
      makeModel(
        defineModel({
          namespaces: [{ name: 'Shop' }],
          types: [entityType('Item', [int64('Id', key), text('Name')], { key: ['Id'], recorded })],
          sets: [entitySet('Items', 'Item')],
          languages: ['en'],
        }),
      ),
    ).map(({ path, message }) => `${path} ${message}`);

  test('of the built-in model are without mistakes', () => {
    expect(checkConditions(suiteModel())).toEqual([]);
    expect(mistakes("Name eq 'x' and @account ne null")).toEqual([]);
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
