// This file calls functions that the model declares. OData 4.01 Protocol, "Functions".
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from './desk.ts';
import { ask } from './query.ts';
import { CALLER, REQUEST } from './records.ts';
import { openZoo } from './zoo.ts';

let zoo: Desk;
let desk: Desk;
beforeAll(async () => {
  zoo = await openZoo();
  desk = await openDesk();
});
afterAll(async () => {
  await zoo?.close();
  await desk?.close();
});

const called = async (path: string) => {
  const [name = '', query = ''] = path.split('?');
  const { status, json } = await ask(zoo, name, query);
  const value = json?.value ?? json?.Name ?? json?.error?.message;
  return [status, Array.isArray(value) ? value.map((item) => item.Name) : value];
};

describe('Function imports', () => {
  it.each([
    ['Sum(a=1.5,b=2)', 3.5],
    ['Sum(b=2,a=1.5)', 3.5],
    ['Sum(a=@x,b=@y)?@x=1&@y=2', 3],
    ['Sum(a=4)', 4],
    ['Sum?a=1&b=2', 3],
    ['Sum?a=@v&@v=7', 7],
    ['Sum(a=-1.25)', -1.25],
    ['Heavy(least=1)', ['Polly', 'Rex']],
    ["Heavy(least=1)?$filter=Name eq 'Rex'", ['Rex']],
    ['Heavy(least=0)?$orderby=Weight&$top=2', ['Nemo', 'Chick']],
    ['Heavy(least=1)/Odd.Zoo.Bird', ['Polly']],
    ['Heavy(least=1000)', []],
  ])('%s', async (path, expected) => {
    expect(await called(path)).toEqual([200, expected]);
  });

  it('the result can be counted, crossed by a path and shown as a raw value', async () => {
    expect((await zoo.get('/Heavy(least=1)/$count')).text).toBe('2');
    expect((await zoo.get('/Sum(a=1,b=2)/$value')).text).toBe('3');
  });

  it.each([
    ['Sum', [400, 404]],
    ['Sum()', [400, 404]],
    ['Sum(a=1,c=2)', [400, 404]],
    ['Sum(a=1,a=2)', [400]],
    ["Sum(a='x')", [400]],
    ['Sum(1)', [400, 404]],
    ['Sum(a=1)/Name', [400, 404]],
    ['Summ(a=1)', [404]],
    ['Heavy(least=null)/Nothing', [400, 404]],
    ['Sum(a=1)?$filter=true', [400]],
    ['Sum(a=1)?a=2', [400]],
  ])('%s is refused', async (path, allowed) => {
    const [status, message] = await called(path);
    expect(allowed).toContain(status);
    expect(message).toMatch(/./);
  });

  it.each(['POST', 'PATCH', 'PUT', 'DELETE'])('%s on a function is 405', async (method) => {
    const message = { headers: { 'content-type': 'application/json' }, body: '{}' };
    const answer = await zoo.send(method, '/Sum(a=1)', message);
    expect([answer.status, answer.headers.allow]).toEqual([405, expect.stringContaining('GET')]);
  });

  it('a function without parameters needs no parentheses', async () => {
    expect((await desk.get('/Me')).json.Uid).toBe(CALLER);
    expect((await desk.get('/Me()')).json.Uid).toBe(CALLER);
  });

  it('are in the service document when they are listed', async () => {
    const { json } = await zoo.get('');
    const self = json.value.find((item: { name: string }) => item.name === 'Self');
    expect(self).toMatchObject({ kind: 'FunctionImport', url: 'Self' });
  });
});

describe('Bound functions', () => {
  it.each([
    ['Animals(Number=1)/Odd.Zoo.Mates()', ['Polly', 'Chick']],
    ['Animals(Number=1)/Odd.Zoo.Mates', ['Polly', 'Chick']],
    ['Animals(Number=1)/Zoo.Mates()', ['Polly', 'Chick']],
    ["Animals(Number=1)/Odd.Zoo.Mates()?$filter=Name ne 'Polly'", ['Chick']],
    ['Animals/Odd.Zoo.Grown(least=50)', ['Rex']],
    ['Animals/Odd.Zoo.Grown(least=@l)?@l=1&$orderby=Name desc', ['Rex', 'Polly']],
    ['Animals/$filter(Tame)/Odd.Zoo.Grown(least=1)', ['Polly']],
    ['Animals(Number=1)/Odd.Zoo.Age(on=2020-03-01)', 'P1D'],
    ["Animals?$filter=Odd.Zoo.Age(on=2020-03-01) eq duration'P1D'", ['Polly']],
  ])('%s', async (path, expected) => {
    expect(await called(path)).toEqual([200, expected]);
  });

  it.each([
    ['Animals(Number=1)/Odd.Zoo.Nothing()', [404]],
    ['Animals(Number=1)/Odd.Zoo.Grown(least=1)', [400, 404]],
    ['Animals/Odd.Zoo.Mates()', [400, 404]],
    ['Keepers(1)/Odd.Zoo.Mates()', [400, 404]],
    ['Animals(Number=1)/Odd.Zoo.Age()', [400, 404]],
    ['Animals(Number=1)/Odd.Zoo.Age(on=5)', [400]],
    ['Animals(Number=99)/Odd.Zoo.Mates()', [404]],
    ['Animals(Number=1)/Odd.Zoo.Feed', [405]],
    ['CloseZoo', [405]],
  ])('%s is refused', async (path, allowed) => {
    const { status } = await zoo.get(`/${path}`);
    expect(allowed).toContain(status);
  });
});

it('only a path recommends a function that only paths can call', async () => {
  const unknown = async (path: string, query = '') => {
    const { status, json } = await ask(desk, path, query);
    expect([400, 404]).toContain(status);
    return /Did you mean "[\w.]*EffectiveRights"\?/.test(json.error.message);
  };
  const wrong = 'Service.Web.OData.Model.EffectiveRight()';
  expect(await unknown('ServiceRequests', `$filter=${wrong} eq null`)).toBe(false);
  expect(await unknown('ServiceRequests', '$filter=effectiveRights() eq null')).toBe(false);
  expect(await unknown(`ServiceRequests(${REQUEST})/${wrong}`)).toBe(true);
});

describe('Functions without a result', () => {
  it('a nullable one answers 204', async () => {
    expect((await zoo.get('/Animals(Number=1)/Odd.Zoo.Grandmother()')).status).toBe(204);
    expect((await zoo.get('/Sum(a=null)')).status).toBe(204);
    expect((await zoo.get('/Animals(Number=3)/Odd.Zoo.Age(on=2020-03-01)')).status).toBe(204);
    expect((await desk.as('nobody').get('/Me')).status).toBe(204);
  });

  it('a collection is empty', async () => {
    expect((await zoo.get('/Heavy(least=1000)')).json.value).toEqual([]);
    expect((await zoo.get('/Animals(Number=4)/Odd.Zoo.Mates()')).json.value).toEqual([]);
  });
});
