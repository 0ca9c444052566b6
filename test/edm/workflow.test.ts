// This file checks that workflows in model files are read, written and checked: each mistake has a place and a remedy.
import { describe, expect, it } from 'vitest';
import { checkWorkflows } from '../../src/bind/model/workflow-check.ts';
import { builtInModel } from '../../src/cli/model-file.ts';
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import { toCsdl } from '../../src/edm/csdl/write-csdl.ts';
import { lintModel } from '../../src/edm/lint/lint.ts';
import { makeModel } from '../../src/edm/model.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';
import { type TransitionRow, withRows } from '../../src/edm/workflow/transition-rows.ts';
import { workflowsOf } from '../../src/edm/workflow/workflow.ts';
import { checkExpression } from '../../src/sql/check-expression.ts';
import { SQLITE } from '../../src/sql/dialect/sqlite.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';

const code = (Value: number, Text: string, Meaning?: string): JsonObject => ({
  Value,
  Texts: [{ Language: 'en', Text }],
  ...(Meaning === undefined ? {} : { Meaning }),
});

const STATES: readonly JsonObject[] = [
  { Symbol: 'OPEN', Members: [{ Member: 'Desk/Name', Flag: 'required' }] },
  { Symbol: 'DONE', Category: 'done', OnEnter: [{ Member: 'Finished', Expression: '@now' }] },
];

const WORKFLOW: JsonObject = {
  Member: 'Stage',
  Mode: 'enforce',
  Initial: ['OPEN'],
  States: STATES,
  Transitions: [
    {
      Symbol: 'finish',
      From: ['OPEN'],
      To: 'DONE',
      Require: ['Title'],
      Guard: 'Number gt 0',
      Roles: ['lead'],
    },
    { Symbol: 'restart', To: 'OPEN', By: 'service' },
  ],
};

/** A model whose tasks have the workflow. */
const document = (workflow: JsonObject): JsonObject => ({
  $Version: '4.01',
  $EntityContainer: 'Lab.All',
  Lab: {
    Code: {
      $Kind: 'ComplexType',
      '@Docket.Coded': { Value: 'Value', Text: 'Text' },
      Text: { $Nullable: true },
      Value: { $Type: 'Edm.Int64', $Nullable: true },
    },
    Place: { $Kind: 'ComplexType', Name: { $Nullable: true } },
    Task: {
      $Kind: 'EntityType',
      $Key: ['Number'],
      '@Docket.Workflow': workflow,
      Number: { $Type: 'Edm.Int32' },
      Title: { $Nullable: true },
      Stage: { $Type: 'Lab.Code', $Nullable: true, '@Docket.CodeList': 'Stages' },
      Desk: { $Type: 'Lab.Place', $Nullable: true },
      Parts: { $Kind: 'NavigationProperty', $Collection: true, $Type: 'Lab.Task' },
      Finished: { $Type: 'Edm.DateTimeOffset', $Nullable: true, $Precision: 3 },
    },
    Errand: { $Kind: 'EntityType', $BaseType: 'Lab.Task' },
    All: {
      $Kind: 'EntityContainer',
      '@Docket.CodeLists': [
        {
          Name: 'Stages',
          Ordered: true,
          Hierarchical: false,
          Codes: [code(1, 'Open', 'OPEN'), code(2, 'Done', 'DONE'), code(3, 'Lost')],
        },
      ],
      Tasks: { $Collection: true, $Type: 'Lab.Task' },
    },
  },
});

/** All mistakes of the workflow: `message remedy`. */
function mistakesOf(change: JsonObject): readonly string[] {
  const { definition, mistakes } = readCsdl(document({ ...WORKFLOW, ...change }));
  const linted = lintModel(definition).filter(({ path }) => path.includes('Workflow'));
  const found = [...mistakes, ...linted];
  const model = makeModel(definition);
  const layout = makeLayout(model);
  const compile: Parameters<typeof checkWorkflows>[0]['compile'] = (bound) =>
    checkExpression(bound, layout, SQLITE);
  const checked = found.length > 0 ? [] : checkWorkflows({ model, compile });
  return [...found, ...checked].map(({ message, remedy }) => `${message} ${remedy}`);
}

const transition = (change: JsonObject): JsonObject => ({
  Transitions: [{ Symbol: 'finish', From: ['OPEN'], To: 'DONE', ...change }],
});

const state = (change: JsonObject): JsonObject => ({
  States: [{ ...STATES[0], ...change }, ...STATES.slice(1)],
});

describe('Docket.Workflow', () => {
  it('is read and written without loss', () => {
    expect(mistakesOf({})).toEqual([]);
    const { definition } = readCsdl(document(WORKFLOW));
    const written = toCsdl(definition, { complete: true });
    const again = readCsdl(written);
    expect(again.mistakes).toEqual([]);
    expect(again.definition.types).toEqual(definition.types);
    expect(JSON.stringify(written)).toContain('"Guard":"Number gt 0"');
  });

  it('is inherited by derived types, with the codes of its states', () => {
    const { definition } = readCsdl(document(WORKFLOW));
    const workflow = workflowsOf(makeModel(definition)).get('Lab.Errand');
    expect(workflow?.type.name).toBe('Lab.Task');
    expect([...(workflow?.states ?? [])].map(([value, { symbol }]) => [value, symbol])).toEqual([
      [1n, 'OPEN'],
      [2n, 'DONE'],
    ]);
  });

  it.each([
    ['an unknown property', { Member: 'Stag' }, 'property Stag.'],
    ['a property without codes', { Member: 'Title' }, 'Title does not hold the code of a state.'],
    [
      'an unknown mode',
      { Mode: 'enforced' },
      'enforced is not a value of Mode. Write off, advise, enforce.',
    ],
    [
      'comments that are no text',
      { Comments: 'Finished' },
      'Finished is not a text in a contained collection.',
    ],
    ['no initial state', { Initial: [] }, 'Initial is empty.'],
    [
      'an unknown initial state',
      { Initial: ['OPN'] },
      'the state OPN in the workflow. Add it or correct the name. Did you mean "OPEN"?',
    ],
    [
      'a code without the symbol',
      state({ Symbol: 'LOST' }),
      'the symbol LOST in the code list Stages',
    ],
    [
      'a state that is declared twice',
      { States: [...STATES, STATES[0]] },
      'The state OPEN is declared twice.',
    ],
    [
      'an unknown target',
      transition({ To: 'DON' }),
      'the state DON in the workflow. Add it or correct the name. Did you mean "DONE"?',
    ],
    ['an unknown source', transition({ From: ['DOEN'] }), 'the state DOEN in the workflow'],
    [
      'an unknown required member',
      transition({ Require: ['Desk/Nam'] }),
      'the member Desk/Nam. Add it or correct the name. Did you mean "Name"?',
    ],
    [
      'an unknown member of a state',
      state({ Members: [{ Member: 'Titel', Flag: 'prompt' }] }),
      'the member Titel',
    ],
    [
      'an unknown flag',
      state({ Members: [{ Member: 'Title', Flag: 'needed' }] }),
      'needed is not a value of Flag.',
    ],
    [
      'an unknown member of the record',
      transition({ Guards: 'true' }),
      'Guards is not allowed here.',
    ],
    [
      'a member that is required and hidden',
      {
        ...transition({ To: 'OPEN', Require: ['Title'] }),
        ...state({ Members: [{ Member: 'Title', Flag: 'hidden' }] }),
      },
      'Title is both required and hidden in OPEN.',
    ],
    [
      'entities to follow that do not exist',
      transition({ By: 'service', On: 'Task' }),
      'the member Task',
    ],
    [
      'entities to follow without a workflow',
      transition({ By: 'service', On: 'Title' }),
      'finish: the entities in Title have no workflow.',
    ],
    [
      'entities to follow, taken by people',
      transition({ On: 'Parts' }),
      'finish has On, but is not taken by the service. Add "By": "service".',
    ],
    [
      'additions without a collection',
      transition({ By: 'service', Added: 'p:true' }),
      'finish has Added, but no collection. Add On, or remove Added.',
    ],
    [
      'additions with a condition that does not compile',
      transition({ By: 'service', On: 'Parts', Added: 'p:p/Titel ne null' }),
      'Titel',
    ],
    ['a guard that does not compile', transition({ Guard: 'Numbr gt 0' }), 'Numbr'],
    ['a guard that is no condition', transition({ Guard: 'Number add 1' }), 'Number add 1'],
    [
      'an effect of another type',
      state({ OnExit: [{ Member: 'Finished', Expression: 'Number' }] }),
      'Finished: The expression has the type',
    ],
    [
      'an effect on a value that may be absent',
      state({ OnExit: [{ Member: 'Desk/Name', Expression: "'none'" }] }),
      'A state cannot set Desk/Name.',
    ],
    [
      'an effect on the state itself',
      state({ OnExit: [{ Member: 'Stage/Value', Expression: '1' }] }),
      'A state cannot set Stage/Value.',
    ],
    ['roles that are no list', transition({ Roles: 'lead' }), 'Roles is not a list of strings.'],
  ])('with %s is rejected', (_, change, expected) => {
    expect(mistakesOf(change as JsonObject).join('\n')).toContain(expected);
  });

  it('of the built-in model has the seven workflows, without mistakes', () => {
    const model = makeModel(builtInModel());
    const names = [...workflowsOf(model).keys()].map((name) => name.replace(/.*\./, ''));
    expect(names.sort()).toEqual([
      'Change',
      'EmailServiceRequest',
      'Incident',
      'Problem',
      'Project',
      'ServiceRequest',
      'Workorder',
    ]);
    const layout = makeLayout(model);
    const compile: Parameters<typeof checkWorkflows>[0]['compile'] = (bound) =>
      checkExpression(bound, layout, SQLITE);
    expect(checkWorkflows({ model, compile })).toEqual([]);
    expect(lintModel(builtInModel()).filter(({ path }) => path.includes('Workflow'))).toEqual([]);
  });
});

describe('Transitions of the installation', () => {
  const [task] = readCsdl(document(WORKFLOW)).definition.types.flatMap((type) =>
    type.kind === 'entity' && type.workflow !== undefined ? [type] : [],
  );
  const workflow = task?.workflow;
  const row = (change: Partial<TransitionRow>): TransitionRow => ({
    entity: 'Task',
    symbol: 'finish',
    from: undefined,
    to: 'DONE',
    require: [],
    guard: undefined,
    roles: [],
    needsComment: false,
    isBlocked: false,
    ...change,
  });
  const merged = (...rows: readonly TransitionRow[]) => {
    if (workflow === undefined) throw new Error('the type has a workflow');
    const { transitions } = withRows(workflow, 'Task', rows);
    return transitions.map(({ symbol, from, to, by }) => [symbol, from, to, by]);
  };
  const [finish, restart] = [
    ['finish', ['OPEN'], 'DONE', undefined],
    ['restart', [], 'OPEN', 'service'],
  ];

  it('are added to those of the model', () => {
    expect(merged(row({ symbol: 'drop', from: 'DONE', to: 'OPEN' }))).toEqual([
      finish,
      restart,
      ['drop', ['DONE'], 'OPEN', undefined],
    ]);
  });

  it('replace those of the same symbol, from one state or from all', () => {
    expect(merged(row({ from: 'OPEN' }))).toEqual([restart, finish]);
    expect(merged(row({}))).toEqual([restart, ['finish', [], 'DONE', undefined]]);
    expect(merged(row({ from: 'DONE' }))).toEqual([
      finish,
      restart,
      ['finish', ['DONE'], 'DONE', undefined],
    ]);
  });

  it('block them', () => {
    expect(merged(row({ isBlocked: true }))).toEqual([restart]);
    expect(merged(row({ from: 'DONE', isBlocked: true }))).toEqual([finish, restart]);
  });

  it('stay with the service if the declared one is', () => {
    expect(merged(row({ symbol: 'restart', to: 'OPEN' }))).toEqual([finish, restart]);
  });

  it('of other entities change nothing', () => {
    expect(merged(row({ entity: 'Errand', isBlocked: true }))).toEqual([finish, restart]);
  });
});
