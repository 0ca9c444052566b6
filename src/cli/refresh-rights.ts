// Announces commits, and makes changes of rights and codes effective immediately: after a write to accounts, roles, sessions, tokens, settings or codes, this
// process reloads them before the next request. Other processes notice the change within half a second.
import { changesRevision } from '../auth/policy-reader.ts';
import type { StoredSettings } from '../auth/runtime-settings.ts';
import type { Sessions } from '../auth/session.ts';
import { Signal } from '../base/signal.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database, SingleOperation } from '../store/database.ts';
import { watched } from '../store/work.ts';

/** The database of the installation, with writes that trigger the reload, and the signal of its commits. */
export function withRightsRefresh(
  { database, layout }: { readonly database: Database; readonly layout: Layout },
  sessions: Pick<Sessions, 'recheck'>,
  settings: Pick<StoredSettings<unknown>, 'isTouched' | 'load'>,
): { readonly database: Database; readonly commits: Pick<Signal, 'follow'> } {
  const changesRights = changesRevision(layout);
  const commits = new Signal();
  const announced: Database = {
    ...database,
    write: async (start) => {
      let hasChanged = false;
      const note = (operation: SingleOperation) => {
        if (operation.kind !== 'allocate')
          hasChanged ||= changesRights(operation.statement, operation.values);
      };
      const result = await database.write(() => watched(start(), note));
      if (hasChanged) sessions.recheck();
      if (settings.isTouched) await settings.load();
      commits.send();
      return result;
    },
  };
  return { database: announced, commits };
}
