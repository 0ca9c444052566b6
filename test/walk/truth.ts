// This file says what each account of the walk may see and do, in plain conditions on the records that were made. It is written from the
// descriptions of the roles, not from the rules that the service reads: the two are compared by the walk.

import type { RoleDefinition } from '../../src/edm/account-sets.ts';
import { entityType, type Model } from '../../src/edm/model.ts';
import { suiteRoles } from '../service-desk.ts';
import type { Row } from './data.ts';

export type Deed = 'create' | 'change' | 'delete' | 'attach';

/** A role, and what it comes to. */
interface RoleTruth {
  readonly definition: RoleDefinition;
  readonly sees: (row: Row, world: World) => boolean;
  /** Members that it does not show, as `Type/Member`. */
  readonly hides: readonly string[];
  /** Members that it does not let change. */
  readonly fixes: readonly string[];
  readonly may: (deed: Deed, row: Row, world: World) => boolean;
}

/** What the conditions look at. */
export interface World {
  readonly rows: readonly Row[];
  readonly isA: (row: Row, ...types: readonly string[]) => boolean;
  /** Key of the person behind every account. */
  readonly me: number;
  /** Keys of the groups that the person is a member of. */
  readonly groups: ReadonlySet<number>;
}

/** Kinds of lines that the service writes: changes, e-mails in and out, approvals, times. */
export const RECORDED: ReadonlySet<number> = new Set([202001, 202004, 202005, 202006, 202007]);

const NEVER = () => false;
const CONFIGURATION = ['Entity', 'Attribute', 'CodeList', 'CodeEntry', 'Transition'];
const PARTS = ['TemplateValue', 'Holiday', 'ScheduleWindow', 'PriorityImpactSetting'];
const SUPPLEMENTS = ['RecordRelation', 'TimeEntry', 'KnowledgeLink', 'Subscription'];
const EVERYTHING = [
  ...['Record', 'HistoryLine', 'Attachment', 'ItemRelation', 'ApproverVote'],
  ...[...CONFIGURATION, ...PARTS, ...SUPPLEMENTS],
];
const MASTER = ['Person', 'Organization', 'Location', 'ConfigurationItem'];

const SHIPPED: Readonly<Record<string, Omit<RoleTruth, 'definition'>>> = {
  agent: {
    sees: (row, { isA }) => isA(row, ...EVERYTHING),
    hides: ['Person/Birthdate'],
    fixes: ['Person/Birthdate'],
    may: (deed, row, { isA }) => {
      if (isA(row, 'WorkItem', 'EmailServiceRequest', ...MASTER)) return deed !== 'delete';
      if (isA(row, ...SUPPLEMENTS)) return deed !== 'attach';
      return isA(row, 'HistoryLine') && (deed === 'create' || deed === 'attach');
    },
  },
  approver: {
    sees: (row, { isA, rows, me }) =>
      isA(row, ...CONFIGURATION, ...MASTER, 'Workgroup', 'Service') ||
      isA(row, 'HistoryLine', 'Attachment', 'ApproverVote') ||
      (isA(row, 'WorkItem') &&
        rows.some(
          (vote) =>
            vote.place === 'ApproverVotes' && is(vote, 'Record', row.uid) && is(vote, 'Person', me),
        )),
    hides: ['Person/Birthdate'],
    fixes: ['Person/Birthdate', 'ApproverVote/Record', 'ApproverVote/Person'],
    may: (deed, row, { isA, me }) =>
      deed === 'change' && isA(row, 'ApproverVote') && is(row, 'Person', me),
  },
  requester: {
    sees: (row, { isA, rows, me }) => {
      const self = rows.find(({ uid }) => uid === me);
      if (isA(row, 'ServiceRequest')) return is(row, 'Caller', me) || is(row, 'Requestor', me);
      if (isA(row, 'HistoryLine')) return is(row, 'Visibility', 203002);
      if (isA(row, 'Person')) return row.uid === me;
      if (isA(row, 'Organization')) return self !== undefined && is(self, 'Organization', row.uid);
      if (isA(row, 'Location')) return self !== undefined && is(self, 'Location', row.uid);
      if (isA(row, 'Template')) return !is(row, 'Blocked', 1);
      return isA(row, ...CONFIGURATION, 'TemplateValue', 'Service', 'Attachment');
    },
    hides: ['Workaround', 'SourceID', 'Classification', 'Relations', 'TimeEntries'].map(
      (name) => `ServiceRequest/${name}`,
    ),
    fixes: [
      ...['Workaround', 'SourceID', 'Classification', 'Relations', 'TimeEntries', 'Status'],
      ...['ClosureCode', 'Priority', 'Deadline', 'Assignment', 'Approval', 'Solution'],
    ].map((name) => `ServiceRequest/${name}`),
    may: (deed, row, { isA, me }) => {
      if (deed !== 'create' && deed !== 'attach') return false;
      if (isA(row, 'HistoryLine')) return is(row, 'Visibility', 203002);
      return isA(row, 'ServiceRequest') && (is(row, 'Caller', me) || is(row, 'Requestor', me));
    },
  },
  integration: {
    sees: (row, { isA }) => isA(row, ...EVERYTHING),
    hides: ['Person/Birthdate'],
    fixes: ['Person/Birthdate'],
    may: (deed, row, { isA }) => {
      if (isA(row, 'WorkItem', ...MASTER)) return deed !== 'delete';
      return isA(row, ...SUPPLEMENTS, 'HistoryLine') && deed !== 'delete' && deed !== 'attach';
    },
  },
  auditor: {
    sees: (row, { isA }) => isA(row, ...EVERYTHING),
    hides: [],
    fixes: [],
    may: NEVER,
  },
};

const OWN: readonly RoleTruth[] = [
  {
    definition: {
      name: 'folder',
      entities: [
        {
          entity: 'Record',
          actions: ['Read', 'Change', 'Delete'],
          filter: 'Folder/Value eq 190001',
        },
        { entity: 'HistoryLine', actions: ['Read'] },
      ],
    },
    sees: (row, { isA }) =>
      isA(row, 'HistoryLine') || (isA(row, 'Record') && is(row, 'Folder', 190001)),
    hides: [],
    fixes: [],
    may: (deed, row, { isA }) =>
      isA(row, 'Record') && is(row, 'Folder', 190001) && (deed === 'change' || deed === 'delete'),
  },
  {
    definition: {
      name: 'group',
      entities: [
        {
          entity: 'WorkItem',
          actions: ['Read', 'Change'],
          filter: 'Assignment/AssigneeWorkgroup/Members/any(m:m/Uid eq $me)',
        },
        { entity: 'Incident', actions: [] },
        { entity: 'Workgroup', actions: ['Read'] },
      ],
    },
    sees: (row, world) => world.isA(row, 'Workgroup') || isOfGroup(row, world),
    hides: [],
    fixes: [],
    may: (deed, row, world) => deed === 'change' && isOfGroup(row, world),
  },
  {
    definition: {
      name: 'masked',
      entities: [
        { entity: 'Record', actions: ['Read', 'Change'] },
        { entity: 'HistoryLine', actions: ['Read'] },
        { entity: 'RecordRelation', actions: ['Read'] },
      ],
      attributes: [
        withheld('ServiceRequest', 'Description'),
        withheld('ServiceRequest', 'Assignment'),
        withheld('WorkItem', 'Information'),
        withheld('Person', 'Name'),
        withheld('Person', 'Manager'),
        withheld('HistoryLine', 'Subject'),
        { entity: 'WorkItem', attribute: 'Solution', read: true, modify: false },
      ],
    },
    sees: (row, { isA }) => isA(row, 'Record', 'HistoryLine', 'RecordRelation'),
    hides: [
      ...['ServiceRequest/Description', 'ServiceRequest/Assignment', 'WorkItem/Information'],
      ...['Person/Name', 'HistoryLine/Subject', 'Person/Manager', 'Person/DirectReports'],
    ],
    fixes: [
      ...['ServiceRequest/Description', 'ServiceRequest/Assignment', 'WorkItem/Information'],
      ...['Person/Name', 'HistoryLine/Subject', 'WorkItem/Solution'],
      ...['Person/Manager', 'Person/DirectReports'],
    ],
    may: (deed, row, { isA }) => deed === 'change' && isA(row, 'Record'),
  },
];

export const ROLES: readonly RoleTruth[] = [
  ...suiteRoles.flatMap((definition) => {
    const truth = SHIPPED[definition.name];
    return truth === undefined ? [] : [{ definition, ...truth }];
  }),
  ...OWN,
];

/** An account of the walk. */
interface AccountOfWalk {
  readonly roles: readonly string[];
  /** Which of the persons it belongs to. */
  readonly person: number;
}

/** By name. Two of them have the same roles as others, and another person. */
export const ACCOUNTS: Readonly<Record<string, AccountOfWalk>> = {
  requester: { roles: ['requester'], person: 0 },
  neighbour: { roles: ['requester'], person: 1 },
  agent: { roles: ['agent'], person: 0 },
  approver: { roles: ['approver'], person: 0 },
  integration: { roles: ['integration'], person: 0 },
  auditor: { roles: ['auditor'], person: 0 },
  folder: { roles: ['folder'], person: 0 },
  group: { roles: ['group'], person: 0 },
  colleague: { roles: ['group'], person: 3 },
  masked: { roles: ['masked'], person: 0 },
  mixed: { roles: ['folder', 'masked'], person: 0 },
  roleless: { roles: [], person: 0 },
};

/** What one account may see and do. Rights of several roles add up. */
export class Truth {
  readonly #roles: readonly RoleTruth[];
  readonly #world: World;
  readonly #model: Model;
  readonly #account: string;
  /** Whether it sees each of the records, which do not change. */
  readonly #seen = new WeakMap<Row, boolean>();

  constructor(account: string, world: World, model: Model) {
    this.#account = account;
    const names = ACCOUNTS[account]?.roles ?? [];
    this.#roles = ROLES.filter(({ definition }) => names.includes(definition.name));
    this.#world = world;
    this.#model = model;
  }

  sees(row: Row): boolean {
    const known = this.#seen.get(row);
    if (known !== undefined) return known;
    const seen = this.#decides(row);
    this.#seen.set(row, seen);
    return seen;
  }

  /** Of accounts, the own one: of others the name is shown, without anything by which they could be told. */
  #decides(row: Row): boolean {
    if (row.type === 'Account') return row.values.LoginName === this.#account && this.#isPerson();
    if (row.parent !== undefined && !this.sees(row.parent)) return false;
    if (row.parent !== undefined && this.#isAboutHidden(row, row.parent)) return false;
    return this.#roles.some((role) => role.sees(row, this.#world));
  }

  /** Whether it reads the person that it belongs to. */
  #isPerson(): boolean {
    const { rows, me } = this.#world;
    const self = rows.find(({ uid }) => uid === me);
    return self !== undefined && this.sees(self);
  }

  /** A line about a member that is not shown everywhere would show what was in it. */
  #isAboutHidden({ values }: Row, parent: Row): boolean {
    const about = values.Attribute;
    if (typeof about !== 'string') return false;
    return this.hiddenOf(parent.type).includes(about.split('/')[0] ?? '');
  }

  /** Whether any record of the type could be seen. */
  seesType(type: string): boolean {
    return this.#world.rows.some(
      (row) => row.type === type && this.#roles.some((role) => role.sees(row, this.#world)),
    );
  }

  reads(row: Row, member: string): boolean {
    if (!this.sees(row)) return false;
    if (member === 'Uid' || row.type === 'Account') return true;
    return this.#roles.some(
      (role) => role.sees(row, this.#world) && !this.#names(role.hides, row, member),
    );
  }

  /** Whether no record of the type shows the member. */
  neverReads(type: string, member: string): boolean {
    const rows = this.#world.rows.filter((row) => row.type === type && this.sees(row));
    return rows.length > 0 && rows.every((row) => !this.reads(row, member));
  }

  may(deed: Deed, row: Row): boolean {
    if (this.isRecorded(row)) return false;
    return this.sees(row) && this.#roles.some((role) => role.may(deed, row, this.#world));
  }

  /** Whether the service has written the record, so that nobody changes it or what it contains. */
  isRecorded({ type, values, parent }: Row): boolean {
    const isOwn = type === 'HistoryLine' && RECORDED.has(Number(values.Kind ?? 0));
    return isOwn || (parent !== undefined && this.isRecorded(parent));
  }

  /** Whether a record with these values could be made. */
  mayCreate(row: Row): boolean {
    return this.#roles.some((role) => role.may('create', row, this.#world));
  }

  sets(row: Row, member: string): boolean {
    return this.#roles.some(
      (role) => role.may('change', row, this.#world) && !this.#names(role.fixes, row, member),
    );
  }

  /** Whether it may read what the service writes down. */
  mayAudit(): boolean {
    return this.#roles.some(({ definition }) => definition.name === 'auditor');
  }

  /** Whether it may change many records by one request. */
  changesMany(): boolean {
    return this.#roles.some(({ definition }) => definition.updatesAll === true);
  }

  #names(list: readonly string[], row: Row, member: string): boolean {
    return list.some((one) => {
      const [type = '', name] = one.split('/');
      return name === member && this.#world.isA(row, type);
    });
  }

  /** Members that some role hides of the type. */
  hiddenOf(type: string): readonly string[] {
    const row: Row = { uid: 0, place: '', type, values: {} };
    const names = this.#roles.flatMap(({ hides }) => hides);
    const here = names.filter((one) => this.#world.isA(row, one.split('/')[0] ?? ''));
    return [...new Set(here.map((one) => one.split('/')[1] ?? ''))].filter((name) =>
      this.#model.members(entityType(this.#model, `${NAMESPACE}.${type}`)).has(name),
    );
  }
}

const NAMESPACE = 'Service.Web.OData.Model';

/** The types of a row and those that it derives from. */
export function lineage(model: Model): World['isA'] {
  const above = new Map<string, ReadonlySet<string>>();
  for (const type of model.types.values()) {
    if (type.kind !== 'entity') continue;
    const names = [type.name];
    for (let base = type.base; base !== undefined; ) {
      names.push(base);
      const next = model.types.get(base);
      base = next?.kind === 'entity' ? next.base : undefined;
    }
    above.set(simple(type.name), new Set(names.map(simple)));
  }
  return (row, ...types) => types.some((type) => above.get(row.type)?.has(type) === true);
}

export function simple(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function isOfGroup(row: Row, { isA, groups }: World): boolean {
  const group = row.values['Assignment/AssigneeWorkgroup'];
  return isA(row, 'WorkItem') && !isA(row, 'Incident') && groups.has(Number(group ?? -1));
}

function is({ values }: Row, column: string, key: number): boolean {
  const value = values[column];
  return value !== null && value !== undefined && Number(value) === key;
}

function withheld(entity: string, attribute: string) {
  return { entity, attribute, read: false, modify: false };
}
