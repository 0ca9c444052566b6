// This file opens zoos for the comparison of cached plans: the odd model, which has a type of every kind, with a clock that does not move.
import type { Principal } from '../../../src/access/principal.ts';
import type { RoleDefinition } from '../../../src/edm/account-sets.ts';
import { type JsonInput, NumberText } from '../../../src/edm/value/lossless-json.ts';
import { importRecords } from '../../../src/service/import.ts';
import { type Desk, openForeignDesk } from '../../journeys/desk.ts';
import { ZOO } from '../../journeys/zoo-records.ts';
import { oddDefinition } from '../../odd-model.ts';
import { fixedWorld } from '../../world.ts';
import { makeAccounts } from './compare.ts';
import { WORDS } from './random.ts';

/** A role with conditions that contain literals of their own. */
const GUIDE: RoleDefinition = {
  name: 'guide',
  entities: [
    {
      entity: 'Odd.Zoo.Animal',
      actions: ['Read', 'Create', 'Change'],
      filter: "Weight gt 0.1 and not contains(Name,'ick')",
    },
    { entity: 'Odd.Zoo.Keeper', actions: ['Read', 'Change'], filter: 'Badge in (1,3)' },
    { entity: 'Odd.Zoo.Sample', actions: ['Read', 'Create', 'Change'] },
    { entity: 'Odd.Zoo.Oddity', actions: ['Read', 'Create', 'Change'] },
  ],
  attributes: [{ entity: 'Odd.Zoo.Animal', attribute: 'Remark', read: false, modify: false }],
};

export const ZOO_ACCOUNTS = ['admin', 'admin', 'admin', 'guide'];

const pick = <Item>(items: readonly Item[], index: number) => items[index % items.length] ?? null;

/** Samples with values at the limits of their types, and animals with names that indexes treat differently. */
const MORE: JsonInput = {
  Samples: Array.from({ length: 12 }, (_, index) => ({
    Small: pick([0n, 127n, 255n, null, 128n], index),
    Tiny: pick([-128n, 127n, 0n, null], index),
    Short: pick([32767n, -32768n, 255n, 127n, 128n], index),
    Whole: pick([2147483647n, -2147483648n, 32768n, 5n, null, 0n], index),
    Big: pick([9007199254740993n, 2147483648n, 9007199254740992n, 1n, null], index),
    Exact: new NumberText(pick(['1.5', '-7', '0.0001', '80.5'], index) ?? '0'),
    Free: new NumberText(pick(['1.50', '2', '-0.25'], index) ?? '0'),
    Double: pick<JsonInput>([new NumberText('1e2'), 'INF', '-INF', null], index),
    Words: pick(WORDS, index * 5),
    Day: pick(['2026-03-29', '2020-02-29', null], index),
    Moment: pick(['2026-03-30T14:30:00Z', '1969-12-31T23:59:59.999Z', null], index),
    Clock: pick(['12:34:56', '00:00:00', null], index),
    Span: pick(['PT1H', '-P1D', null], index),
    Tag: pick(['00000000-0000-0000-0000-000000000000', null], index),
    Diet: pick(['Meat', 'Plants', null], index),
    Numbers: [BigInt(index), 1n],
    Spot: { type: 'Point', coordinates: [new NumberText('4.9'), BigInt(index)] },
  })),
  Animals: Array.from({ length: 10 }, (_, index) => ({
    Name: `${pick(WORDS, index * 3)}`.slice(0, 50),
    Remark: pick(WORDS, index * 7),
    Weight: new NumberText(pick(['1.5', '7', '0.05', '80.5'], index) ?? '0'),
    Diet: pick(['Meat', 'Plants'], index),
    Nicknames: ['Pol', `${pick(WORDS, index)}`.slice(0, 30)],
    'Keepers@odata.bind': ["Keepers(Email='bob@zoo.example')"],
  })),
};

interface OpenedZoo {
  readonly desk: Desk;
  readonly principals: ReadonlyMap<string, Principal>;
}

export async function openVariedZoo(database?: string): Promise<OpenedZoo> {
  const desk = await openForeignDesk(oddDefinition, ZOO, {
    settings: { database, limits: { pageSize: 2, answerMegabytes: 0 } },
    world: fixedWorld(),
    enabled: false,
  });
  await importRecords(MORE, desk.service);
  const principals = await makeAccounts(desk, [GUIDE], { guide: { roles: ['guide'] } });
  return { desk, principals };
}
