// This file writes a plan as the members of `Docket.System.ModelPlan`.
import { Fault } from '../../base/fault.ts';
import type { Mistake } from '../../edm/model-error.ts';
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { Difference } from '../../edm/versions/model-diff.ts';
import { memberText } from '../../sql/schema/layout.ts';
import { type CountedLoss, describeLoss, type PlannedStep } from '../../store/model/migrate.ts';
import { checksumOf } from '../../store/model/stored-models.ts';
import type { Config } from '../config/config.ts';
import { checkModel } from '../model-file.ts';
import { differingFile } from '../stored-model.ts';
import type { ModelPlan } from './plan-model.ts';

export function planJson(plan: ModelPlan, config: Config): JsonObject {
  const { application, inForce = 0, isSame, differences, steps } = plan;
  const warnings = [...checkModel(application.files).mistakes, ...configuredFile(plan, config)];
  return {
    Version: inForce,
    IsSame: isSame,
    LosesData: steps.some(({ loses }) => loses),
    Differences: differences.map(differenceJson),
    Steps: steps.map(stepJson),
    Warnings: warnings.map(({ path, message, remedy }) => {
      return { Path: path, Message: message, Remedy: remedy };
    }),
  };
}

function differenceJson({ change, kind, name, details }: Difference): JsonObject {
  const fields = details.map(({ field, before, after }) => {
    return { Field: field, Before: before, After: after };
  });
  return { Change: change, Kind: kind, Name: name, Fields: fields };
}

function stepJson({ text, losses, repeated = [], unfit = [] }: PlannedStep): JsonObject {
  return { Text: text, Losses: losses.map(lossJson), Conflicts: [...repeated, ...unfit] };
}

function lossJson(loss: CountedLoss): JsonObject {
  const { kind, table, column, rows } = loss;
  const named = column === undefined ? null : memberText(column);
  return { Kind: kind, Table: table, Column: named, Rows: rows, Text: describeLoss(loss) };
}

/** A service reports a configured file that differs from the model in force after each start. */
function configuredFile({ application }: ModelPlan, config: Config): readonly Mistake[] {
  const checksum = checksumOf(application.files.files);
  try {
    const file = differingFile(config, { checksum });
    if (file === undefined) return [];
    const message = 'The setting model names a file that differs from this model.';
    const remedy =
      'This model stays in force after a restart, and the log reports the difference. Replace the file, or remove the setting.';
    return [{ path: file, message, remedy }];
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
}
