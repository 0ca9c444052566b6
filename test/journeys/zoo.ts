// This file opens the odd model's zoo as a desk, and lets guides into it, who may do a part of what there is to do.
import { expect } from 'vitest';
import { oddDefinition } from '../odd-model.ts';
import { type Desk, openForeignDesk } from './desk.ts';
import { ZOO } from './zoo-records.ts';

export async function openZoo(): Promise<Desk> {
  return await openForeignDesk(oddDefinition, ZOO);
}

/** What the role of guides says of one entity; names are those within the zoo. */
interface Access {
  readonly Entity: string;
  readonly [member: string]: unknown;
}

/** Somebody who sees what is listed, without the attribute. */
export async function joinGuide(
  zoo: Desk,
  seen: readonly Access[],
  hidden: Access & { readonly Attribute: string },
): Promise<Pick<Desk, 'get'>> {
  const inZoo = (access: Access) => ({ ...access, Entity: `Odd.Zoo.${access.Entity}`, Read: true });
  const role = {
    Name: 'guide',
    EntityAccess: seen.map(inZoo),
    AttributeAccess: [{ ...inZoo(hidden), Read: false }],
  };
  expect((await zoo.send('POST', '/Roles', { body: role })).status).toBe(201);
  return await zoo.join({ loginName: 'guide', roles: ['guide'] });
}
