// This file finds the codes that the model refers to by their Meaning: states of workflows, statuses and results of clocks, outcomes of
// approvals and methods of assignment.
import { perObject } from '../../base/memo.ts';
import { CLOCK_SYMBOLS } from '../../edm/clocks/clock-rules.ts';
import { type EntityType, type Model, memberAt, simpleName } from '../../edm/model.ts';
import { targetAt } from '../../edm/source.ts';

/** A code that must keep its Meaning. */
interface CodeSymbol {
  readonly meaning: string;
  /** What refers to it: `the workflow of Incident`. */
  readonly users: readonly string[];
}

/** The codes by value. */
export const codeSymbolsOf = perObject((model: Model): ReadonlyMap<bigint, CodeSymbol> => {
  const found = new Map<bigint, CodeSymbol>();
  for (const type of model.definition.types) {
    if (type.kind !== 'entity') continue;
    for (const { part, member, symbols } of symbolsOf(model, type)) {
      const user = `the ${part} of ${simpleName(type.name)}`;
      for (const { value, meaning } of codesWith(model, member, symbols)) {
        const users = found.get(value)?.users ?? [];
        found.set(value, { meaning, users: [...new Set([...users, user])] });
      }
    }
  }
  return found;
});

/** The coded property of a type, and the symbols of its codes that a part of the model refers to. */
interface SymbolUse {
  readonly part: 'workflow' | 'clocks' | 'approval' | 'assignment';
  readonly member: ReturnType<typeof memberAt>;
  readonly symbols: readonly (string | undefined)[];
}

function symbolsOf(model: Model, type: EntityType): readonly SymbolUse[] {
  return [
    ...workflowSymbols(model, type),
    ...clockSymbols(model, type),
    ...approvalSymbols(model, type),
    ...assignmentSymbols(model, type),
  ];
}

function workflowSymbols(model: Model, type: EntityType): readonly SymbolUse[] {
  const { workflow } = type;
  if (workflow === undefined) return [];
  const symbols = workflow.states.map(({ symbol }) => symbol);
  return [{ part: 'workflow', member: memberAt(model, type, workflow.member), symbols }];
}

function clockSymbols(model: Model, type: EntityType): readonly SymbolUse[] {
  const { clocks: rules } = type;
  if (rules === undefined) return [];
  const { clocks, timers, status, state } = rules;
  const statuses = clocks.flatMap(({ pausedIn = [], stoppedIn, cancelledIn = [] }) => [
    ...pausedIn,
    ...stoppedIn,
    ...cancelledIn,
  ]);
  const results = [state ?? [], ...clocks.map((clock) => [clock.state, clock.outcome])].flat();
  const use = (path: string, symbols: readonly string[]): SymbolUse => ({
    part: 'clocks',
    member: memberAt(model, type, path),
    symbols,
  });
  return [
    use(status, [...statuses, ...timers.flatMap((timer) => timer.in)]),
    ...results.map((path) => use(path, CLOCK_SYMBOLS)),
  ];
}

function approvalSymbols(model: Model, type: EntityType): readonly SymbolUse[] {
  const outcome = type.approval?.outcome;
  if (outcome === undefined) return [];
  const { member, waiting, approved, rejected, withdrawn } = outcome;
  const symbols = [waiting, approved, rejected, withdrawn];
  return [{ part: 'approval', member: memberAt(model, type, member), symbols }];
}

function assignmentSymbols(model: Model, type: EntityType): readonly SymbolUse[] {
  const { assigned: rules } = type;
  const target = rules && targetAt(model, type, rules.group);
  if (rules === undefined || target === undefined) return [];
  const symbols = [rules.roundRobin, rules.leastLoad];
  return [{ part: 'assignment', member: memberAt(model, target, rules.method), symbols }];
}

function codesWith(
  model: Model,
  member: SymbolUse['member'],
  symbols: SymbolUse['symbols'],
): readonly { readonly value: bigint; readonly meaning: string }[] {
  const list = member?.kind === 'property' ? model.codeLists.get(member.codeList ?? '') : undefined;
  return (list?.codes ?? []).flatMap(({ value, meaning }) =>
    meaning !== undefined && symbols.includes(meaning) ? [{ value, meaning }] : [],
  );
}
