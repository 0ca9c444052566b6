// This file declares conditions on elapsed and remaining time, which change without a write: those that a write evaluates are reported, those
// that a read evaluates are not.
import { expect, it } from 'vitest';
import { checkConditions, checkOperations } from '../../src/bind/model/operation-check.ts';
import { ruleCheck } from '../../src/bind/model/policy-condition.ts';
import { checkWorkflows } from '../../src/bind/model/workflow-check.ts';
import { DEFAULT_BIND_LIMITS } from '../../src/bind/scope.ts';
import {
  type EntityType,
  entityType,
  type Model,
  makeModel,
  type Operation,
} from '../../src/edm/model.ts';
import type { Workflow } from '../../src/edm/workflow/declaration.ts';
import { parseExpression } from '../../src/request/expression/expression.ts';
import { compiler } from '../../src/sql/check-expression.ts';
import { makeLayout } from '../../src/sql/schema/model-layout.ts';
import { suiteModel } from '../service-desk.ts';

const NAMESPACE = 'Service.Web.OData.Model';
const SOON = "Sla/Remaining lt duration'PT1H'";
const REPORTED =
  'Elapsed and remaining time change without a write, so that this condition cannot use them. Compare the deadline with @now, or the state, outcome or mark of the clock.';

function withType(name: string, change: (type: EntityType) => EntityType): Model {
  const { definition } = suiteModel();
  const types = definition.types.map((type) =>
    type.kind === 'entity' && type.name === `${NAMESPACE}.${name}` ? change(type) : type,
  );
  return makeModel({ ...definition, types });
}

const withWorkflow = (name: string, change: (workflow: Workflow) => Workflow): Model =>
  withType(name, (type) =>
    type.workflow === undefined ? type : { ...type, workflow: change(type.workflow) },
  );

function withAction(name: string, change: (operation: Operation) => Operation): Model {
  const { definition } = suiteModel();
  const operations = definition.operations.map((one) =>
    one.name === `${NAMESPACE}.${name}` ? change(one) : one,
  );
  return makeModel({ ...definition, operations });
}

function mistakesOf(model: Model): readonly string[] {
  const check = { model, compile: compiler(makeLayout(model)) };
  return [...checkWorkflows(check), ...checkConditions(check), ...checkOperations(check)].map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

const first = <Item>(items: readonly Item[], change: (item: Item) => Item) =>
  items.map((item, index) => (index === 0 ? change(item) : item));

it.each<readonly [string, () => Model]>([
  [
    'the guard of a transition',
    () =>
      withWorkflow('ServiceRequest', (workflow) => ({
        ...workflow,
        transitions: first(workflow.transitions, (one) => ({ ...one, guard: SOON })),
      })),
  ],
  [
    'what a state writes',
    () =>
      withWorkflow('ServiceRequest', (workflow) => ({
        ...workflow,
        states: first(workflow.states, (one) => ({
          ...one,
          onEnter: { PlanDuration: 'Sla/Elapsed' },
        })),
      })),
  ],
  [
    'the condition of a relation',
    () =>
      withWorkflow('Workorder', (workflow) => ({
        ...workflow,
        relations: first(workflow.relations, (one) => ({
          ...one,
          guard: `ServiceRequest/${SOON}`,
        })),
      })),
  ],
  ['recorded entities', () => withType('ServiceRequest', (type) => ({ ...type, recorded: SOON }))],
  [
    'the priority of clocks',
    () =>
      withType('Incident', (type) =>
        type.clocks === undefined
          ? type
          : {
              ...type,
              clocks: { ...type.clocks, priority: { ...type.clocks.priority, raisedIf: SOON } },
            },
      ),
  ],
  [
    'due actions',
    () =>
      withAction('AutoClose', (one) => ({
        ...one,
        due: { at: 'AutoCloseAt', where: SOON },
      })),
  ],
])('%s: reported, with what to write instead', (_, model) => {
  const found = mistakesOf(model());
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) expect(one).toContain(REPORTED);
});

it('conditions that a read evaluates are permitted: the availability of an action', () => {
  expect(mistakesOf(suiteModel())).toEqual([]);
  expect(mistakesOf(withAction('AutoClose', (one) => ({ ...one, available: SOON })))).toEqual([]);
});

it('the rights of a role: rejected', () => {
  const model = suiteModel();
  const scope = { model, rules: 'odata', limits: DEFAULT_BIND_LIMITS } as const;
  const check = ruleCheck(scope, compiler(makeLayout(model)));
  const type = entityType(model, `${NAMESPACE}.ServiceRequest`);
  expect(() => check(parseExpression(SOON, 'the rule'), type)).toThrow(REPORTED);
  expect(() => check(parseExpression('Deadline lt now()', 'the rule'), type)).not.toThrow();
});
