// A query whose changes are followed: where it comes from, and its plan for an account from a position of the change log.
import type { Principal } from '../../access/principal.ts';
import { bind } from '../../bind/bind-read.ts';
import { decideEvents } from '../../plan/decide-read.ts';
import type { EventPart } from '../../plan/read/delta.ts';
import type { DeltaPlan, RowDependencies } from '../../plan/read-plan.ts';
import type { Tree } from '../../request/tree.ts';
import { membersOf } from '../../sql/schema/relation-storage.ts';
import type { Call, Service } from '../service.ts';
import { newTrace, readTree, scopeOf, settingOf } from '../stage-inputs.ts';
import type { EventKind } from './event.ts';

/** The records to follow, by the options of a query that returns them. */
export interface Watch {
  readonly set: string;
  /** $filter, $select and $expand, not percent-encoded. */
  readonly filter?: string | undefined;
  readonly select?: string | undefined;
  readonly expand?: string | undefined;
  /** The kinds of events to return; all of them if undefined. */
  readonly kinds?: readonly EventKind[] | undefined;
}

/** The call that returns the records of a watch. @param root the root of URLs in events */
export function callOf({ set, filter, select, expand }: Watch, root: string): Call {
  const options = Object.entries({ $filter: filter, $select: select, $expand: expand });
  const query = options.flatMap(([name, text]) =>
    text === undefined ? [] : [`${name}=${encodeURIComponent(text)}`],
  );
  return {
    id: `events-${process.pid}`,
    method: 'GET',
    path: encodeURIComponent(set),
    query: query.join('&'),
    headers: { accept: 'application/json', 'odata-version': '4.01', 'odata-maxversion': '4.01' },
    body: undefined,
    address: '',
    root,
  };
}

/** The changes of a query as an account may see them. */
export interface Followed {
  readonly tree: Tree;
  readonly plan: DeltaPlan;
}

/**
 * Plans the read of the changes of a query, with the rights that the account has now.
 * Throws: plan.untracked, plan.delta-gone, and the faults of parsing, binding and deciding.
 */
export function follow(
  call: Call,
  service: Service,
  principal: Principal,
  part: EventPart,
): Followed {
  const tree = readTree(call, service, newTrace());
  const bound = bind(tree, scopeOf(call, service));
  return { tree, plan: decideEvents(bound, tree, settingOf(service, principal), part) };
}

/** The ids of the sources whose changes can be events of the plan. */
export function sourcesOf({ source, steps }: RowDependencies): ReadonlySet<string> {
  const own = membersOf(source).map(({ id }) => id);
  return new Set([...own, ...steps.flatMap(({ target }) => [...sourcesOf(target)])]);
}
