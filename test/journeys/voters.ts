// This file gives journeys people who vote about records of a desk with levels.
import { performer } from '../../src/service/handle-request.ts';
import { principalNamed } from './desk.ts';
import type { Body, LevelDesk } from './service-levels.ts';

export const reference = (path: string) => ({ '@odata.id': path.replace(/^\//, '') });

const keyOf = (path: string) => Number(/\d+/.exec(path)?.[0]);

/** Persons who may vote, by their names, and what they do. */
export interface Voters {
  readonly persons: ReadonlyMap<string, string>;
  /** Creates a group of some of them, and returns its path. */
  readonly groupOf: (...names: readonly string[]) => Promise<string>;
  /** The newest vote of a person about a record. */
  // biome-ignore lint/suspicious/noExplicitAny: journeys state what they expect
  readonly voteOf: (path: string, name: string) => Promise<any>;
  /** The status of the answer to a vote, by another account if `as` names one. It needs no token, which would expire as time moves. */
  readonly vote: (path: string, name: string, body: Body, as?: string) => Promise<number>;
}

export async function joinVoters(desk: LevelDesk, names: readonly string[]): Promise<Voters> {
  const EntityAccess = [
    { Entity: 'WorkItem', Read: true },
    { Entity: 'Person', Read: true },
    { Entity: 'ApproverVote', Read: true, Change: true },
  ];
  await desk.create('Roles', { Name: 'voter', EntityAccess });
  const persons = new Map<string, string>();
  for (const name of names) {
    const path = await desk.create('Persons', { LastName: name, Name: name });
    persons.set(name, path);
    await desk.join({ loginName: name, roles: ['voter'], person: keyOf(path) });
  }
  const voteOf = async (path: string, name: string) => {
    const filter = `Person/Uid eq ${keyOf(persons.get(name) ?? '')}`;
    const query = `?$filter=${filter}&$orderby=Round desc&$top=1&$expand=VotedBy`;
    return (await desk.read(`${path}/ApproverVotes${query}`)).value[0];
  };
  return {
    persons,
    voteOf,
    groupOf: async (...members) => {
      const Members = members.map((name) => reference(persons.get(name) ?? ''));
      return await desk.create('Workgroups', { Name: members.join(), Members });
    },
    vote: async (path, name, body, as = name) => {
      const call = {
        id: 'vote',
        method: 'PATCH',
        path: `ApproverVotes(${(await voteOf(path, name)).Uid})`,
        query: '',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(JSON.stringify(body)),
        address: '',
        root: desk.root,
      };
      return (await performer(desk.service)(call, await principalNamed(desk.service, as))).status;
    },
  };
}
