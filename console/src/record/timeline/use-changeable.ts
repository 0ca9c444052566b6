// This file asks which notes of a page the account may change now: the service decides by their author and age.
import { useQuery } from '@tanstack/react-query';
import { readTogether } from '../../api/batch.ts';
import { type Entity, keyOf } from '../../model/entity.ts';
import { type Member, type Model, operationsOf, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { useSession } from '../../session/use-session.ts';

/** The keys of the notes that may be changed. @param path of the collection of lines */
export function useChangeable(
  path: string,
  member: Member,
  lines: readonly Entity[],
): ReadonlySet<string> {
  const model = useModel();
  const session = useSession();
  // The session endpoint returns a number, the service a text (IEEE754Compatible).
  const account = session.kind === 'signed-in' ? String(session.grant.Account.Uid) : undefined;
  const type = typeNamed(model, member.type);
  const name = rightsFunction(model, member);
  const notes = lines.filter(({ Information }) => Boolean(Information));
  const own = notes.some(({ CreatedBy }) => CreatedBy !== undefined)
    ? notes.filter(({ CreatedBy }) => String((CreatedBy as Entity | null)?.Uid) === account)
    : notes.slice(0, ASKED);
  const keys = own.flatMap((line) => keyOf(type, line) ?? []);
  const { data } = useQuery({
    queryKey: ['changeable', path, keys],
    queryFn: async ({ signal }) => {
      const results = await readTogether(
        keys.map((key) => `${path}(${encodeURIComponent(key)})/${name}()`),
        signal,
      );
      return keys.filter((_, index) => {
        const result = results[index];
        return (
          result?.kind === 'value' &&
          (result.value as { readonly Change?: boolean } | undefined)?.Change === true
        );
      });
    },
    enabled: keys.length > 0 && name !== undefined,
    // The time for changes runs out while the page is open.
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? CHECK_EVERY : false),
  });
  return new Set(data);
}

/** The service is asked about so many notes, the latest, where the account cannot read who wrote them. */
const ASKED = 10;
/** Milliseconds. */
const CHECK_EVERY = 60_000;

function rightsFunction(model: Model, member: Member): string | undefined {
  return operationsOf(model, typeNamed(model, member.type), false).find(({ name }) =>
    name.endsWith('.EffectiveRights'),
  )?.name;
}
