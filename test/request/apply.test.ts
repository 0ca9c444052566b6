// This file tests $apply: every transformation is read, written back the same, and refused where it is malformed.

import { describe, expect, test } from 'vitest';
import { Fault } from '../../src/base/fault.ts';
import { printApply } from '../../src/request/print/url.ts';
import { parseApply } from './pieces.ts';

describe('OData Data Aggregation 4.0, "System Query Option $apply"', () => {
  test.each([
    'identity',
    'aggregate(Uid with countdistinct as N)',
    'aggregate($count as Total,Impact/Value mul 2 with sum as X)',
    'aggregate(Workorders/$count as N)',
    'aggregate(Amount with sum from Time with average from Product/Name with max as D)',
    'aggregate(Amount with NS.median as M)',
    'aggregate(Forecast)',
    'aggregate(Sales/Forecast as F,Budget)',
    'aggregate(Forecast from Time,Product/Name with average as D)',
    'aggregate(Forecast from Time as D)',
    'groupby((Status/Text,Caller/Organization/Name),aggregate($count as N))',
    'groupby((Status/Text))',
    'groupby((rollup(A/B,C),rollup(Named),D),aggregate($count as N))',
    'groupby((rolluprecursive($root/Orgs,H,Org/ID)))',
    "groupby((rolluprecursive($root/Orgs,H,Org/ID,filter(ID eq 'x'))),aggregate($count as N))",
    'filter(Amount gt 3)/search(a OR b)/orderby(a desc,b)/skip(5)/top(3)',
    'compute(a mul 2 as b,day(c) as d)',
    'concat(identity,aggregate($count as N),filter(a)/top(1))',
    'topcount(2,Amount)/topsum(15,Amount)/toppercent(50,Amount)',
    'bottomcount(2,Amount)/bottomsum(15,Amount)/bottompercent(50,a add b)',
    'join(Workorders as W,filter(a))',
    'join(Workorders as W)',
    'outerjoin(Workorders/NS.Derived as W,aggregate($count as N))',
    'join(@Core.GeometryFeature as W)',
    'nest(groupby((a)) as A,groupby((b)) as B)',
    'addnested(Sales/Items,filter(a)/top(2) as A,compute(b as c) as B)',
    "ancestors($root/Orgs,H,Org/ID,filter(contains(Name,'East')),2,keep start)",
    'ancestors($root/Orgs,H,ID,identity,3)',
    'descendants($root/Orgs,H,ID,filter(a)/search(x),keep start)',
    'traverse($root/Orgs,H,ID,preorder)',
    'traverse($root/Orgs,H,ID,postorder,Name desc,ID)',
    'traverse($root/Orgs,H,ID,preorder,filter(a),Name desc)',
    "traverse($root/Orgs,H,ID,preorder,concat(a,'x'))",
    "NS.TopCountAndBalance(Count=1,Property='Total')/NS.Other()",
    "search(')/top(1')/top(1)",
    'filter(isdefined(a/b) and $these/aggregate(c with sum) gt 1)',
  ])('%s is read and written back', (text) => {
    expect(printApply(parseApply(text))).toBe(text);
  });

  test('blanks are free inside parentheses', () => {
    const text = 'groupby( ( a , b ) , aggregate( c  with  sum  as  d , $count as e ) )';
    expect(printApply(parseApply(text))).toBe(
      'groupby((a,b),aggregate(c with sum as d,$count as e))',
    );
  });
});

describe('a transformation is refused', () => {
  test.each([
    ['', 0],
    ['foo(1)', 0],
    ['Filter(a)', 0],
    ['identity()', 8],
    ['filter', 6],
    ['filter()', 7],
    ['filter(a)/', 10],
    ['aggregate(a)/b', 13],
    ['aggregate(a with total as b)', 17],
    ['aggregate(a add b)', 17],
    ['aggregate(a with sum from b as c)', 28],
    ['aggregate($count)', 16],
    ['groupby(a)', 8],
    ['groupby(())', 9],
    ['groupby((a/NS.T))', 15],
    ['groupby((rollup(a/b)))', 19],
    ['concat(identity)', 15],
    ['skip(-1)', 5],
    ['top(1.5)', 5],
    ['topcount(2)', 10],
    ['compute(a)', 9],
    ['nest(filter(a))', 14],
    ['join(a)', 6],
    ['ancestors(Orgs,H,ID,filter(a))', 10],
    ['ancestors($root/Orgs,H,ID,aggregate($count as N))', 26],
    ['ancestors($root/Orgs,H,ID,filter(a),1,2)', 38],
    ['ancestors($root/Orgs,H,ID,filter(a),keep start,1)', 46],
    ['traverse($root/Orgs,H,ID,inorder)', 25],
    ['NS.F', 4],
  ])('%s at %d', (text, position) => {
    try {
      parseApply(text);
      expect.unreachable();
    } catch (error) {
      expect(error instanceof Fault ? [error.status, error.position] : error).toEqual([
        400,
        position,
      ]);
    }
  });

  test('with the name that was probably meant', () => {
    expect(() => parseApply('agregate($count as N)')).toThrow('"aggregate"');
  });
});
