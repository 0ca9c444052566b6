// This file lists the schema versions of a model, which its schemas declare by Core.SchemaVersion.
import { perObject } from '../base/memo.ts';
import type { Model } from './model.ts';

const TERM = 'Core.SchemaVersion';

/** The versions of the schemas, that of the default schema first. */
export const schemaVersions = perObject(({ definition }: Model): readonly string[] => {
  const others = Object.values(definition.remainder?.schemas ?? {});
  const versions = [
    definition.annotations?.[TERM],
    ...others.flatMap((schema) => [schema[`@${TERM}`], schema[`@Org.OData.Core.V1.SchemaVersion`]]),
  ];
  return [...new Set(versions.filter((version) => typeof version === 'string'))];
});
