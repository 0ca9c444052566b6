// Makes changes of rights effective immediately: after a write to accounts, roles, sessions, tokens or settings, this process reloads
// the rights before the next request. Other processes notice the change within half a second.
import { changesRevision } from '../auth/policy-reader.ts';
import type { StoredSettings } from '../auth/runtime-settings.ts';
import type { Sessions } from '../auth/session.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database } from '../store/database.ts';

/** The database of the installation, with writes that trigger the reload. */
export function withRightsRefresh(
  { database, layout }: { readonly database: Database; readonly layout: Layout },
  sessions: Pick<Sessions, 'recheck'>,
  settings: Pick<StoredSettings<unknown>, 'isTouched' | 'load'>,
): Database {
  const changesRights = changesRevision(layout);
  return {
    ...database,
    write: async (work) => {
      let hasChanged = false;
      const result = await database.write((transaction) =>
        work({
          ...transaction,
          rows: (text, values) => {
            hasChanged ||= changesRights(text, values);
            return transaction.rows(text, values);
          },
          change: (text, values, place) => {
            hasChanged ||= changesRights(text, values);
            return transaction.change(text, values, place);
          },
        }),
      );
      if (hasChanged) sessions.recheck();
      if (settings.isTouched) await settings.load();
      return result;
    },
  };
}
