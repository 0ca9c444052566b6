// This file answers the functions of the engine whose results the service writes as JSON: SetRights and ModelInForce.
import type { Principal } from '../access/principal.ts';
import { bind } from '../bind/bind-read.ts';
import { MODEL_OPERATIONS } from '../edm/versions/model-operations.ts';
import { setRights } from '../plan/rights/set-rights.ts';
import { misplacedSegment } from '../request/path.ts';
import type { Tree } from '../request/tree.ts';
import type { Answer } from '../response/response.ts';
import { readModelInForce } from './models/read-model-in-force.ts';
import { answerRead } from './read.ts';
import { answerConstant } from './schedules/answer-calculation.ts';
import type { Call, Service } from './service.ts';
import { isReading, type RequestTrace, readTree, rightsOf, scopeOf } from './stage-inputs.ts';

interface EngineFunction {
  /** Its name, perhaps with a prefix. */
  readonly name: string;
  /** The result as it is written in JSON. */
  readonly read: (service: Service, principal: Principal) => unknown;
}

const FUNCTIONS: ReadonlyMap<unknown, EngineFunction> = new Map([
  [
    'set-rights',
    {
      name: 'SetRights',
      read: (service: Service, principal: Principal) =>
        setRights(service.model, rightsOf(service, principal)),
    },
  ],
  ['model-in-force', { name: MODEL_OPERATIONS.inForce, read: readModelInForce }],
]);

const NAMES = [...FUNCTIONS.values()].map(({ name }) => name);

/** Whether the request may call one of the functions. A cheap check before the path is parsed. */
export function mayCallEngineFunction(call: Call): boolean {
  const { path } = call;
  return isReading(call) && (NAMES.some((name) => path.includes(name)) || path.startsWith('%'));
}

/** Answers the function, and other reads as usual. Throws: access.models, store.migration-due, and the faults of reads. */
export async function answerEngineFunction(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const tree = readTree(call, service, trace);
  const bound = bind(tree, scopeOf(call, service));
  const called = bound.kind === 'evaluate' ? FUNCTIONS.get(bound.operation.engine) : undefined;
  if (bound.kind !== 'evaluate' || called === undefined)
    return await answerRead(call, service, principal, trace);
  requireWhole(tree);
  const text = JSON.stringify(await called.read(service, principal));
  const result = (type: typeof bound.value.type) => ({ kind: 'json', type, text }) as const;
  return await answerConstant(result, bound.operation, tree, { call, service, principal });
}

/** The result is written whole: no path leads into it, and it has no count of its own. Throws: request.misplaced-segment. */
function requireWhole({ path: { segments } }: Tree): void {
  const [call, next] = segments;
  if (call?.kind === 'name' && call.key !== undefined)
    throw misplacedSegment(`${call.name}()(…)`, 'with a key', call.at);
  if (next !== undefined)
    throw misplacedSegment(`$${next.kind}`, 'after the result of a function', next.at);
}
