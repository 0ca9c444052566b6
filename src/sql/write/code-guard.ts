// This file guards writes whose bodies have codes: the code lists that the codes were looked up in must be those of the database, since
// another process may have edited them. Writing transactions exclude each other, so what the guard finds holds until the commit.
import type { PlannedFault } from '../../plan/write-plan.ts';
import { sql, tableName, text } from '../fragment.ts';
import { require, type WriteScope } from './steps.ts';
import type { ScriptStep } from './write-script.ts';

/** The setting with a number that each edit of code lists raises. */
export const CODE_REVISION = 'codes.revision';

/** The error of the guard, which the service handles: it reads the codes and prepares the write again. */
export const OUTDATED: PlannedFault = { code: 'codes.outdated', parameters: {} };

/** The guard, which comes before all other steps. */
export function requireCurrentCodes(scope: WriteScope): readonly ScriptStep[] {
  const { codeRevision } = scope.layout;
  if (codeRevision === undefined) return [];
  const stored = sql`(SELECT "value" FROM ${tableName('docket_setting')} WHERE "name" = ${text(CODE_REVISION)})`;
  return [
    require(sql`SELECT 1 WHERE coalesce(${stored}, '') = ${text(codeRevision)}`, OUTDATED, scope),
  ];
}
