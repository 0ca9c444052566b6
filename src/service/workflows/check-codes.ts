// This file rejects transitions to disabled codes: a status can be disabled when it is no longer the target of a transition, and disabled
// codes cannot become targets.
import { Fault } from '../../base/fault.ts';
import { type CodeList, type Model, simpleName } from '../../edm/model.ts';
import {
  installedWorkflows,
  type TypeWorkflow,
  type WorkflowEdits,
} from '../../edm/workflow/workflow.ts';
import { type StoredCode, type StoredCodes, toCodeLists } from '../../store/codes/stored-codes.ts';
import type { Cell } from '../../store/database.ts';

/** What changes of codes are checked against. */
interface CodeChange {
  readonly model: Model;
  /** The codes after the change, and the identities of those that have changed. */
  readonly stored: StoredCodes;
  readonly changed: ReadonlySet<Cell>;
  /** The codes before the change, as far as this process knows them. */
  readonly before: readonly CodeList[];
}

/** Throws: workflow.code if the change disables the target of a transition. */
export function requireUnreachable(
  { model, stored, changed, before }: CodeChange,
  edits: Omit<WorkflowEdits, 'codeLists'>,
): void {
  const former = disabledIn(before);
  const disabled = stored.codes.filter(
    (code) => code.disabled && changed.has(code.identity) && !former.has(code.value),
  );
  if (disabled.length === 0) return;
  const codeLists = toCodeLists(model, { ...stored, codes: stored.codes.map(enabled) });
  const workflows = installedWorkflows(model, { ...edits, codeLists });
  for (const { value } of disabled) {
    const transitions = [...workflows].flatMap(([name, workflow]) =>
      name === workflow.type.name ? transitionsTo(workflow, value) : [],
    );
    if (transitions.length === 0) continue;
    const parameters = { code: value.toString(), transitions: transitions.join(', ') };
    throw new Fault('workflow.code', parameters, { target: 'Disabled' });
  }
}

/** The values of disabled codes. */
export function disabledIn(lists: readonly Pick<CodeList, 'codes'>[]): ReadonlySet<bigint> {
  return new Set(
    lists.flatMap(({ codes }) =>
      codes.flatMap(({ value, disabled }) => (disabled === true ? [value] : [])),
    ),
  );
}

function enabled(code: StoredCode): StoredCode {
  return { ...code, disabled: false };
}

/** `resolve of ServiceRequest` for each transition. */
function transitionsTo({ type, declared, values }: TypeWorkflow, code: bigint): readonly string[] {
  const found = declared.transitions.filter(({ to }) => values.get(to) === code);
  return [...new Set(found.map(({ symbol }) => `${symbol} of ${simpleName(type.name)}`))];
}
