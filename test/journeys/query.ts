// This file asks a desk for sets with options written as a person would write them: it encodes the values, and shows what came.
import type { Desk, DeskAnswer } from './desk.ts';

/** The query as a URL holds it: every value percent-encoded, the names and the `&` between options as they are. */
export function encodeQuery(query: string): string {
  return query
    .split('&')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? part : `${part.slice(0, at)}=${encodeURIComponent(part.slice(at + 1))}`;
    })
    .join('&');
}

/** GET of `path?query`, the query not yet encoded. */
export async function ask(desk: Desk, path: string, query = ''): Promise<DeskAnswer> {
  return await desk.get(query === '' ? `/${path}` : `/${path}?${encodeQuery(query)}`);
}

/** One member of every record of the answer; of a refusal, its status and what it says. */
export async function column(
  desk: Desk,
  path: string,
  query: string,
  member: string,
): Promise<unknown> {
  const answer = await ask(desk, path, query);
  return answer.status === 200
    ? answer.json.value.map((item: Record<string, unknown>) => item[member])
    : [answer.status, answer.json?.error?.message];
}

/** What an answer says, without what it says about that: members with an @ in their names are left out. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !name.includes('@'))
      .map(([name, inner]) => [name, plain(inner)]),
  );
}
