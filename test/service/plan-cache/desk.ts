// This file opens service desks for the comparison of cached plans, with a clock that does not move and few records of great variety.
import type { Principal } from '../../../src/access/principal.ts';
import type { RoleDefinition } from '../../../src/edm/account-sets.ts';
import type { SeedRecord } from '../../../src/seed/demo-plan.ts';
import { type Desk, openDesk } from '../../journeys/desk.ts';
import { CALLER, FIRST_OF_MANY, MEMBER, RECORDS, REQUEST } from '../../journeys/records.ts';
import { suiteRoles } from '../../service-desk.ts';
import { fixedWorld } from '../../world.ts';
import { makeAccounts } from './compare.ts';
import { WORDS } from './random.ts';

const KEPT = 20;
const ADDED = 45;

/** Texts that indexes treat differently, times around the change to summer time, and properties without a value. */
function variedRequest(index: number): SeedRecord {
  const moments = [
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T14:30:00.000Z',
    '2026-03-27T16:30:00.000Z',
  ];
  const [word = '', next = ''] = [
    WORDS[(index * 7) % WORDS.length],
    WORDS[(index * 3) % WORDS.length],
  ];
  const common = {
    ID: 2000 + KEPT + index,
    Description: `${index % 3 === 0 ? '' : 'printer '}${word}`.slice(0, 200) || 'x',
    Information: index % 4 === 0 ? null : `${next} on fire ${word}`,
    SourceID: index % 5 === 0 ? null : next.slice(0, 80),
    Status: [101001, 101003, 101009][index % 3] ?? 101001,
    Priority: index % 6 === 0 ? null : 110001 + (index % 5),
    Deadline: index % 7 === 0 ? null : (moments[index % 3] ?? null),
    PlanDuration: index % 2 === 0 ? null : 3600,
    Caller: index % 2 === 0 ? CALLER : MEMBER,
  };
  return {
    set: 'ServiceRequests',
    uid: FIRST_OF_MANY + KEPT + index,
    values: { 'Registration/DateCreated': moments[0] ?? null, ...common },
  };
}

function line(uid: number, parent: number, subject: string): SeedRecord {
  const values = { Subject: subject, Information: 'x', Visibility: 203002 };
  return { set: 'ServiceRequests/HistoryLines', uid, parent, values };
}

const records: readonly SeedRecord[] = [
  ...RECORDS.filter(({ uid }) => uid < FIRST_OF_MANY + KEPT),
  ...Array.from({ length: ADDED }, (_, index) => variedRequest(index)),
  line(3002, REQUEST, 'fire'),
  line(3003, FIRST_OF_MANY + KEPT + 1, "O'Neil"),
];

/** Accounts with different rights: all, those of an agent, own requests only, and those of a role with a condition of its own. */
export const DESK_ACCOUNTS = ['admin', 'admin', 'admin', 'agent', 'requester', 'reader'];

const OWN_ROLE: RoleDefinition = {
  name: 'reader',
  entities: [
    {
      entity: 'ServiceRequest',
      actions: ['Read', 'Create', 'Change'],
      filter: "ID gt 2010 and contains(Description,'printer') or Priority/Value eq 110001",
    },
    { entity: 'Workorder', actions: ['Read', 'Change'], filter: 'ID ne 2' },
    { entity: 'HistoryLine', actions: ['Read', 'Create'] },
    { entity: 'Person', actions: ['Read'], filter: 'Uid ne 32' },
  ],
  attributes: [{ entity: 'ServiceRequest', attribute: 'SourceID', read: false, modify: false }],
};

const ROLES: readonly RoleDefinition[] = [
  ...suiteRoles.filter(({ name }) => name === 'agent' || name === 'requester'),
  OWN_ROLE,
];

interface OpenedDesk {
  readonly desk: Desk;
  readonly principals: ReadonlyMap<string, Principal>;
}

export async function openVariedDesk(
  answerMegabytes: number,
  database?: string,
): Promise<OpenedDesk> {
  const settings = { database, limits: { answerMegabytes } };
  const desk = await openDesk({ records, settings, world: fixedWorld(), enabled: false });
  const principals = await makeAccounts(desk, ROLES, {
    agent: { roles: ['agent'], person: MEMBER },
    requester: { roles: ['requester'], person: CALLER },
    reader: { roles: ['reader'], person: CALLER },
  });
  return { desk, principals };
}
