// This file has what a request writes about rights count at once: whoever asks next is looked at anew. Other processes notice it
// within half a second.
import { raisesRevision } from '../auth/policy-reader.ts';
import type { StoredSettings } from '../auth/runtime-settings.ts';
import type { Sessions } from '../auth/session.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database } from '../store/database.ts';

/** What is written about accounts, roles, sessions, tokens or settings counts for whoever asks next. */
export function rechecking(
  { database, layout }: { readonly database: Database; readonly layout: Layout },
  sessions: Pick<Sessions, 'recheck'>,
  settings: Pick<StoredSettings<unknown>, 'isTouched' | 'load'>,
): Database {
  const isAboutRights = raisesRevision(layout);
  return {
    ...database,
    write: async (deed) => {
      let hasRaised = false;
      const result = await database.write((transaction) =>
        deed({
          ...transaction,
          rows: (text, values) => {
            hasRaised ||= isAboutRights(text, values);
            return transaction.rows(text, values);
          },
          change: (text, values, place) => {
            hasRaised ||= isAboutRights(text, values);
            return transaction.change(text, values, place);
          },
        }),
      );
      if (hasRaised) sessions.recheck();
      if (settings.isTouched) await settings.load();
      return result;
    },
  };
}
