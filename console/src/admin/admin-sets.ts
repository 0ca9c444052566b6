// This file groups the sets of the engine by their subjects. Models of an installation may use the names; the sets of the engine then have
// the prefix Docket.
import type { EntitySet, Model } from '../model/model.ts';

export const SUBJECTS = ['access', 'settings', 'texts', 'mail', 'work'] as const;
export type Subject = (typeof SUBJECTS)[number];

const NAMES: Readonly<Record<Subject, readonly string[]>> = {
  access: ['Accounts', 'Roles', 'Sessions', 'ApiKeys', 'AuditEntries'],
  settings: ['Settings', 'Transitions', 'Templates', 'ConsoleViews', 'ConsoleDashboards'],
  texts: ['CodeLists', 'Codes'],
  mail: ['MailRules', 'MailTemplates', 'OutgoingMessages', 'UndeliverableAddresses'],
  work: ['WebhookDeliveries', 'FailedActions', 'WorkflowAdvices', 'Schedules', 'Calendars'],
};

/** The set of the engine with a name; undefined where the model has none. */
export function engineSet(model: Model, name: string): EntitySet | undefined {
  return model.sets.get(`Docket${name}`) ?? model.sets.get(name);
}

export function setsOf(model: Model, subject: Subject): readonly EntitySet[] {
  return NAMES[subject].flatMap((name) => engineSet(model, name) ?? []);
}
