// This file adds the operations for administrators that change the model of an installation: PlanModel, ApplyModel and ModelInForce.
import {
  about,
  FLAG,
  OPTIONAL,
  SYSTEM_NAMESPACE,
  takenNames,
  withActions,
  withEngine,
  withSchema,
} from '../engine-schema.ts';
import type { ModelDefinition } from '../model.ts';
import type { JsonObject } from '../value/lossless-json.ts';

/** The names of the operations. */
export const MODEL_OPERATIONS = {
  plan: 'PlanModel',
  apply: 'ApplyModel',
  inForce: 'ModelInForce',
} as const;

/** The parameters of PlanModel and ApplyModel. */
export const MODEL_PARAMETERS = {
  files: 'Files',
  version: 'Version',
  allowLoss: 'AllowLoss',
} as const;

/** The states of an application of a model. */
export type ApplicationState = 'applying' | 'applied' | 'failed' | 'interrupted';

/** Adds the operations. An import whose name the model uses gets the prefix Docket. */
export function withModelOperations(definition: ModelDefinition): ModelDefinition {
  const complete = withSchema(definition, { elements: TYPES });
  return withFunction(
    withActions(complete, [
      [MODEL_OPERATIONS.plan, 'plan-model', PLAN_MODEL],
      [MODEL_OPERATIONS.apply, 'apply-model', APPLY_MODEL],
    ]),
  );
}

function withFunction(definition: ModelDefinition): ModelDefinition {
  const { inForce } = MODEL_OPERATIONS;
  const prefix = takenNames(definition).includes(inForce.toLowerCase()) ? 'Docket' : '';
  return withEngine('model-in-force', definition, {
    elements: { [inForce]: [MODEL_IN_FORCE] },
    container: { [`${prefix}${inForce}`]: { $Function: `${SYSTEM_NAMESPACE}.${inForce}` } },
  });
}

const ofType = (name: string) => ({ $Type: `${SYSTEM_NAMESPACE}.${name}` });
const listOf = (name: string) => ({ $Collection: true, ...ofType(name) });

const INSTANT = { $Type: 'Edm.DateTimeOffset', $Precision: 3 };
const COUNT = { $Type: 'Edm.Int32' };
const VERSION = { ...COUNT, ...about('The number of a version of the model') };

const FILES = {
  $Name: MODEL_PARAMETERS.files,
  ...listOf('ModelFile'),
  ...about('All files of the model; they replace those of the version in force'),
};

const PLAN_MODEL: JsonObject = {
  $Kind: 'Action',
  $Parameter: [FILES],
  $ReturnType: ofType('ModelPlan'),
  ...about(
    'Checks the files of a model, and returns what applying it would change. Nothing is changed',
  ),
};

const APPLY_MODEL: JsonObject = {
  $Kind: 'Action',
  $Parameter: [
    FILES,
    {
      $Name: MODEL_PARAMETERS.version,
      ...COUNT,
      ...about('The version in force when the change was planned'),
    },
    {
      $Name: MODEL_PARAMETERS.allowLoss,
      ...FLAG,
      ...OPTIONAL,
      '@Core.OptionalParameter': {},
      ...about('Whether steps may lose data'),
    },
  ],
  $ReturnType: ofType('ModelApplication'),
  ...about('Applies a model in the background. Requests return 503 until it is in force'),
};

const MODEL_IN_FORCE: JsonObject = {
  $Kind: 'Function',
  $ReturnType: ofType('ModelVersion'),
  ...about('The model in force with its files, and the last application of a model'),
};

const TYPES: JsonObject = {
  ModelFile: {
    $Kind: 'ComplexType',
    ...about('A file of a model'),
    Name: about('The name of the file, without a directory'),
    Content: about('The text of the file'),
  },
  ModelVersion: {
    $Kind: 'ComplexType',
    ...about('A version of the model'),
    Version: VERSION,
    Applied: INSTANT,
    Author: about('The account that applied the version, or the user of the operating system'),
    Origin: about('Where the files come from; empty for the built-in model'),
    Program: about('The version of Docket that applied the version'),
    Checksum: about('The SHA-256 of the files'),
    Files: listOf('ModelFile'),
    LastApplication: { ...ofType('ModelApplication'), ...OPTIONAL },
  },
  ModelApplication: {
    $Kind: 'ComplexType',
    ...about('An application of a model by ApplyModel'),
    State: about('"applying", "applied", "failed" or "interrupted"'),
    Version: VERSION,
    Origin: about('Where the files come from; empty for the built-in model'),
    Account: about('The account that called ApplyModel'),
    Started: INSTANT,
    Ended: { ...INSTANT, ...OPTIONAL },
    Message: { ...OPTIONAL, ...about('Why the model could not be applied') },
    Backup: { ...OPTIONAL, ...about('The file with a copy of the database before the change') },
  },
  ModelPlan: {
    $Kind: 'ComplexType',
    ...about('What applying a model would change'),
    Version: { ...COUNT, ...about('The version in force; a parameter of ApplyModel') },
    IsSame: { ...FLAG, ...about('Whether the model is in force already') },
    LosesData: { ...FLAG, ...about('Whether steps lose data, which ApplyModel must permit') },
    Differences: listOf('ModelDifference'),
    Steps: listOf('ModelStep'),
    Warnings: listOf('ModelWarning'),
  },
  ModelDifference: {
    $Kind: 'ComplexType',
    ...about('An element that differs from the model in force'),
    Change: about('"added", "removed" or "changed"'),
    Kind: about('The kind of the element'),
    Name: about('The name of the element'),
    Fields: listOf('FieldDifference'),
  },
  FieldDifference: {
    $Kind: 'ComplexType',
    ...about('A part of an element that differs'),
    Field: about('The path of the part within the element'),
    Before: { ...OPTIONAL, ...about('The value in the model in force') },
    After: { ...OPTIONAL, ...about('The value in the other model') },
  },
  ModelStep: {
    $Kind: 'ComplexType',
    ...about('A step of the change'),
    Text: about('What the step does'),
    Losses: listOf('ModelLoss'),
    Conflicts: {
      $Collection: true,
      ...about(
        'Values that several records share although they must be unique, and keys that do not fit their new type',
      ),
    },
  },
  ModelLoss: {
    $Kind: 'ComplexType',
    ...about('Data that a step loses'),
    Kind: about('"values", "digits", "rows" or "links"'),
    Table: about('The table'),
    Column: { ...OPTIONAL, ...about('The column; null if whole rows are lost') },
    Rows: { $Type: 'Edm.Int64', ...about('The number of rows that lose data') },
    Text: about('A description of the loss'),
  },
  ModelWarning: {
    $Kind: 'ComplexType',
    ...about('A weakness of the model that does not prevent its use'),
    Path: about('The file, and the path in it'),
    Message: {},
    Remedy: about('What can be done about it'),
  },
};
