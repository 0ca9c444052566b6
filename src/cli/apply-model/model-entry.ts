// This file writes the entry of the audit trail about a model that has been applied, or could not be.
import { storeEntry } from '../../auth/audit.ts';
import type { Applicant } from '../../service/models/models.ts';
import type { Work } from '../../store/database.ts';
import { describeLoss } from '../../store/model/migrate.ts';
import type { ModelPlan } from './plan-model.ts';

/** Who applies a model: a request, or a command, which has no address. */
export type ModelAuthor = Pick<Applicant, 'account'> & Partial<Applicant>;

/** @param reason why the model could not be applied */
export function* storeModelEntry(
  { application, inForce = 0, steps }: ModelPlan,
  author: ModelAuthor,
  reason?: string,
): Work<void> {
  const outcome = reason === undefined ? 'applied' : 'not applied';
  const losses = steps.flatMap((step) => step.losses).map(describeLoss);
  const remark = reason ?? (losses.length === 0 ? '' : `lost ${losses.join(', ')}`);
  const detail = `version ${inForce + 1} of the model ${outcome}: ${application.origin}${remark && `; ${remark}`}`;
  yield* storeEntry({ time: Date.now(), kind: 'administration', ...author, detail });
}
