// This file defines how the service plans and applies models. cli/apply-model/ implements it.
import type { JsonObject } from '../../edm/value/lossless-json.ts';
import type { ModelFile } from '../../store/model/stored-models.ts';
import type { ModelApplication } from './stored-application.ts';

/** An account that applies a model, and its request. */
export interface Applicant {
  readonly account: string;
  readonly address: string;
  /** The id of the request. */
  readonly request: string;
}

/** A model to apply to the version that was in force when the change was planned. */
export interface WantedModel {
  readonly files: readonly ModelFile[];
  readonly version: number;
  /** Whether steps may lose data. */
  readonly mayLose: boolean;
  readonly applicant: Applicant;
}

/** A model that can be applied. */
interface ReadyModel {
  /** The version in force. */
  readonly inForce: number;
  /** Whether the model is in force already. */
  readonly isSame: boolean;
  readonly origin: string;
  /**
   * Applies the model in the background. The service then hands over the database, as it does to a command. The outcome is stored.
   * @param application what has been stored about it
   * @param report called with a reason if the outcome cannot be stored
   */
  readonly start: (application: ModelApplication, report: (reason: string) => void) => void;
  /** Applies nothing. */
  readonly cancel: () => void;
}

export interface Models {
  /** Returns the members of `Docket.System.ModelPlan`. Throws: model.mistakes, model.settings, model.files, model.too-large. */
  readonly plan: (files: readonly ModelFile[]) => Promise<JsonObject>;
  /** Throws as `plan`, and: store.model-changed, store.migration-loses, store.keys-unfit, store.items-repeated. */
  readonly prepare: (wanted: WantedModel) => Promise<ReadyModel>;
}
