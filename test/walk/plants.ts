// This file plants leaks, one at a time: in the policy, as if a rule had been forgotten, and in the service, as if one way to reach records
// did not ask for rights. Whatever can go wrong in one place only stands here, so that the walk can prove that it would notice.
import type { Grant, Policy, Reach } from '../../src/access/policy.ts';
import type { Principal } from '../../src/access/principal.ts';
import type { NamedType } from '../../src/edm/model.ts';
import type { Answer } from '../../src/response/response.ts';
import { performer } from '../../src/service/handle-request.ts';
import type { Call, Perform, Service } from '../../src/service/service.ts';

export interface Plant {
  readonly name: string;
  readonly plant: (service: Service, admin: Principal) => Perform;
  /** Requests among which it must be found. */
  readonly touches: (call: Call) => boolean;
  /** The account in whose name it must be found; any of them where there is none. */
  readonly account?: string;
}

/** Ways to reach records, of which one does not ask for rights. */
const WAYS: Readonly<Record<string, (call: Call) => boolean>> = {
  'a list': ({ path, query, method }) => method === 'GET' && query === '' && /^\w+$/.test(path),
  'a key': ({ path, method }) => method === 'GET' && /^\w+\(\d+\)$/.test(path),
  'a key in a batch': isBatchOf('get'),
  'a change in a batch': isBatchOf('patch'),
  HEAD: ({ method }) => method === 'HEAD',
  'the known version': ({ headers }) => headers['if-none-match'] !== undefined,
  'the number behind a path': ({ path }) => path.endsWith('/$count'),
  'the number in a list': ({ query }) => query.includes('$count=true'),
  'a page': ({ query }) => query.includes('$top=2'),
  'a property': ({ path, method }) => method === 'GET' && /\)\/\w+$/.test(path),
  'a raw value': ({ path, method }) => method === 'GET' && path.endsWith('/$value'),
  'a reference': ({ path, method }) => method === 'GET' && path.endsWith('/$ref'),
  $entity: ({ path }) => path === '$entity',
  $all: ({ path }) => path === '$all',
  $crossjoin: ({ path }) => path.startsWith('$crossjoin'),
  '/$query': ({ path }) => path.endsWith('/$query'),
  $expand: ({ query }) => query.includes('$expand='),
  '$expand of references': ({ query }) => /\$expand=\w+\/\$ref/.test(query),
  '$expand of numbers': ({ query }) => /\$expand=\w+\/\$count/.test(query),
  'a lambda': ({ query }) => query.includes('/any('),
  'a path in $filter': ({ query }) => /\$filter=\w+\/Uid gt/.test(decodeURI(query)),
  'a null in $filter': ({ query }) => /\$filter=\w+ ne null/.test(decodeURI(query)),
  'a number in $filter': ({ query }) => /\$filter=\w+\/\$count/.test(query),
  'a filter segment': ({ path }) => path.includes('$filter('),
  '$root in $filter': ({ query }) => query.includes('$root'),
  $search: ({ query }) => query.includes('$search='),
  $orderby: ({ query }) => query.includes('$orderby='),
  $compute: ({ query }) => query.includes('$compute='),
  $apply: ({ query }) => query.includes('$apply='),
  groups: ({ query }) => query.includes('groupby('),
  concat: ({ query }) => query.includes('concat('),
  'tracked changes': ({ headers }) => headers.prefer?.includes('track') === true,
  Atom: ({ headers }) => headers.accept === 'application/xml',
  'full metadata': ({ headers }) => headers.accept?.includes('full') === true,
  EffectiveRights: ({ path }) => path.endsWith('/EffectiveRights()'),
  PATCH: ({ method }) => method === 'PATCH',
  PUT: ({ method }) => method === 'PUT',
  DELETE: ({ method }) => method === 'DELETE',
  POST: ({ method, path }) => method === 'POST' && /^\w+$/.test(path),
  'a deep insert': ({ method, path }) => method === 'POST' && /\)\/\w+$/.test(path),
  'a binding': ({ body }) => body !== undefined && Buffer.from(body).includes('@odata.bind'),
  'a relation': ({ method, path }) => method !== 'GET' && path.endsWith('/$ref'),
  'a property that is written': ({ method, path }) => method === 'PUT' && /\)\/\w+$/.test(path),
  $each: ({ path }) => path.endsWith('/$each'),
};

function isBatchOf(method: string): (call: Call) => boolean {
  return ({ path, body }) =>
    path === '$batch' &&
    body !== undefined &&
    Buffer.from(body).toString('utf8').includes(`"method":"${method}"`);
}

const wayPlants: readonly Plant[] = Object.entries(WAYS).map(([name, touches]) => ({
  name: `${name} without rights`,
  touches,
  plant: (service, admin) => {
    const perform = performer(service);
    return async (call, principal) => await perform(call, touches(call) ? admin : principal);
  },
}));

/** Rules of the policy, of which one is forgotten. */
const policyPlants: readonly Plant[] = [
  forgetting(
    'the condition on requests',
    ['requester', 'ServiceRequests', 'ServiceRequest'],
    (grant) => ({
      ...grant,
      actions: { ...grant.actions, read: ALL },
    }),
  ),
  forgetting(
    'the condition on history lines',
    ['requester', 'ServiceRequests', 'HistoryLine'],
    (grant) => ({
      ...grant,
      actions: { ...grant.actions, read: ALL },
    }),
  ),
  forgetting(
    'the condition on new requests',
    ['requester', 'ServiceRequests', 'ServiceRequest'],
    (grant) => ({
      ...grant,
      actions: { ...grant.actions, create: ALL },
    }),
  ),
  forgetting('the condition on changes', ['folder', 'ServiceRequests', 'Record'], (grant) => ({
    ...grant,
    actions: { ...grant.actions, change: ALL, read: ALL },
  })),
  forgetting(
    'what is hidden of a request',
    ['masked', 'ServiceRequests', 'ServiceRequest'],
    (grant) => ({
      ...grant,
      unreadable: ['Assignment'],
    }),
  ),
  forgetting(
    'what is hidden of a history line',
    ['masked', 'ServiceRequests', 'HistoryLine'],
    (grant) => ({
      ...grant,
      unreadable: [],
    }),
  ),
  forgetting('the other side of a relation', ['masked', 'Persons', 'Person'], (grant) => ({
    ...grant,
    unreadable: (grant.unreadable ?? []).filter((name) => name !== 'DirectReports'),
  })),
  forgetting('what is fixed of work', ['masked', 'Incidents', 'WorkItem'], (grant) => ({
    ...grant,
    unwritable: [],
  })),
  forgetting('what is withheld of a derived type', ['group', 'Incidents', 'Incident'], undefined),
  forgetting('who votes', ['approver', 'ApproverVotes', 'ApproverVote'], (grant) => ({
    ...grant,
    actions: { ...grant.actions, change: ALL },
  })),
];

const ALL: Reach = { kind: 'all' };

function forgetting(
  name: string,
  [account, set, type]: readonly [account: string, set: string, type: string],
  change: ((grant: Grant) => Grant) | undefined,
): Plant {
  return {
    name: `${name} is forgotten`,
    account,
    touches: ({ path }) => path.startsWith(set),
    plant: (service) => {
      const policy = changed(service.roles.policy, account, type, change);
      return performer({
        ...service,
        roles: {
          policy,
        },
      });
    },
  };
}

function changed(
  { roles }: Policy,
  name: string,
  type: string,
  change: ((grant: Grant) => Grant) | undefined,
): Policy {
  return {
    roles: roles.map((role) => {
      if (role.name !== name) return role;
      const grants = role.grants.flatMap((grant) => {
        if (!grant.type.endsWith(`.${type}`)) return [grant];
        return change === undefined ? [] : [change(grant)];
      });
      return { ...role, grants };
    }),
  };
}

/** The model does not say any more which lines of the history the service has written. */
const forgottenLines: Plant = {
  name: 'what the service has written is forgotten',
  touches: ({ path, method }) => method !== 'GET' && /\/HistoryLines\(\d+\)/.test(path),
  plant: (service) => {
    const { model } = service;
    const types = [...model.types].map(([name, type]): readonly [string, NamedType] => {
      if (type.kind !== 'entity') return [name, type];
      const { recorded: _, ...others } = type;
      return [name, others];
    });
    return performer({ ...service, model: { ...model, types: new Map(types) } });
  },
};

/** What was prepared for one account is given to the next. */
const sharedAnswers: Plant = {
  name: 'what was kept for another account is given away',
  touches: ({ method }) => method === 'GET',
  plant: (service) => {
    const perform = performer(service);
    const kept = new Map<string, Answer>();
    return async (call, principal) => {
      const key = `${call.method} ${call.path}?${call.query} ${JSON.stringify(call.headers)}`;
      const answer = kept.get(key) ?? (await perform(call, principal));
      kept.set(key, answer);
      return answer;
    };
  },
};

export const PLANTS: readonly Plant[] = [
  ...wayPlants,
  ...policyPlants,
  forgottenLines,
  sharedAnswers,
];
