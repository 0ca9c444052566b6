// This file makes models with schedules that have other names than those of the built-in model.
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { ModelDefinition } from '../../src/edm/model.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';

interface Changes {
  /** Members of `Docket.Schedule`. */
  readonly schedule?: JsonObject;
  /** Members of the function `Opens`. */
  readonly operation?: JsonObject;
}

/** Shops with opening hours. Throws: the mistakes that reading the document finds. */
export function modelOf({ schedule, operation }: Changes): ModelDefinition {
  const hours = { Rows: 'Hours', Weekday: 'Day', From: 'Starts', To: 'Ends' };
  const id = { $Type: 'Edm.Int64' };
  const time = { $Type: 'Edm.TimeOfDay', $Nullable: true };
  const { definition, mistakes } = readCsdl({
    $Version: '4.01',
    $EntityContainer: 'Town.Container',
    Town: {
      Shop: {
        $Kind: 'EntityType',
        $Key: ['Id'],
        '@Docket.Schedule': { TimeZone: 'Zone', Windows: hours, ...schedule },
        Id: id,
        Zone: { $Nullable: true, '@Docket.TimeZone': true },
        Hours: {
          $Kind: 'NavigationProperty',
          $Collection: true,
          $Type: 'Town.Hours',
          $ContainsTarget: true,
        },
      },
      Hours: {
        $Kind: 'EntityType',
        $Key: ['Day'],
        Day: id,
        Starts: time,
        Ends: time,
      },
      Opens: [
        {
          $Kind: 'Function',
          $IsBound: true,
          '@Docket.Calculates': 'next-opening',
          $Parameter: [
            { $Name: 'shop', $Type: 'Town.Shop' },
            { $Name: 'When', $Type: 'Edm.DateTimeOffset' },
          ],
          $ReturnType: { $Type: 'Edm.DateTimeOffset' },
          ...operation,
        },
      ],
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.Languages': ['en'],
        Shops: { $Collection: true, $Type: 'Town.Shop' },
      },
    },
  });
  if (mistakes.length > 0)
    throw new Error(mistakes.map(({ message, remedy }) => `${message} ${remedy}`).join('\n'));
  return definition;
}
