// This file answers imports: the rows of a file become writes of the account that sends it.
import type { Principal } from '../../access/principal.ts';
import type { Answer } from '../../response/response.ts';
import type { Call, Service } from '../service.ts';
import type { RequestTrace } from '../stage-inputs.ts';
import { readImportRequest } from './import-request.ts';
import type { ImportError, RowOutcome } from './import-result.ts';
import { performRows } from './perform-rows.ts';
import { readRows } from './source-rows.ts';

/** Throws: the faults of reading the request and the file, and of the writes if none of them is permitted. */
export async function answerImport(
  call: Call,
  service: Service,
  principal: Principal,
  trace: RequestTrace,
): Promise<Answer> {
  const request = readImportRequest(call, service, principal, trace);
  const { rows, errors } = await readRows(request);
  return await performRows(request, rows, byRow(errors));
}

/** One outcome for each row that cannot be read. */
function byRow(errors: readonly ImportError[]): readonly RowOutcome[] {
  const rows = new Map<number, ImportError[]>();
  for (const error of errors) rows.set(error.row, [...(rows.get(error.row) ?? []), error]);
  return [...rows.values()];
}
