// This file reads the workflow of a type and writes the entities of the set Transitions. The transitions of the model are those that
// AllowedTransitions reports for an entity in each state.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type BatchResult, readTogether } from '../api/batch.ts';
import { repeatable, request, requestJson } from '../api/client.ts';
import { useCodes } from '../model/codes.ts';
import { entityPath, literal } from '../model/entity.ts';
import {
  type EntitySet,
  type Member,
  type Model,
  operationsOf,
  typeOfSet,
} from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import type { Declared, Row, State, Workflow } from './workflow-matrix.ts';

/** A type with a workflow. */
export interface Subject {
  /** The name in the set Entities. */
  readonly entity: string;
  readonly set: EntitySet;
  readonly status: Member;
}

interface EntityRow {
  readonly Name: string;
  readonly EntitySet: string | null;
}

/** The types with workflows; an empty list where the model has no set Transitions. */
export function useSubjects(): readonly Subject[] | undefined {
  const model = useModel();
  const isThere = model.sets.has('Transitions') && model.sets.has('Entities');
  const { data } = useQuery({
    queryKey: ['workflow-entities'],
    queryFn: async ({ signal }) =>
      await requestJson<{ readonly value: readonly EntityRow[] }>(
        'Entities?$select=Name,EntitySet&$orderby=Uid&$top=250',
        { signal },
      ),
    enabled: isThere,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!isThere) return [];
  return data?.value.flatMap((row) => subjectOf(model, row) ?? []);
}

const hasWorkflow = (model: Model, set: EntitySet): boolean =>
  operationsOf(model, typeOfSet(model, set), true).some(({ name }) =>
    name.endsWith('.AllowedTransitions'),
  );

function subjectOf(model: Model, { Name, EntitySet: name }: EntityRow): Subject | undefined {
  const set = model.sets.get(name ?? '');
  if (set === undefined || !hasWorkflow(model, set)) return undefined;
  const members = typeOfSet(model, set).members;
  const codes = [...members.values()].filter(
    ({ kind, codeList }) => kind === 'code' && codeList !== undefined,
  );
  const status = codes.find((member) => member.name === 'Status') ?? codes[0];
  return status && { entity: Name, set, status };
}

interface Allowed {
  readonly value: readonly {
    readonly State: string;
    readonly Transitions: readonly {
      readonly Symbol: string;
      readonly To: string;
      readonly Takers: readonly string[];
      readonly Comment: boolean;
      readonly Clocks: readonly { readonly Clock: string; readonly Effect: string }[];
    }[];
  }[];
}

interface StoredRow {
  readonly '@odata.etag'?: string;
  readonly Uid: string;
  readonly Symbol: string;
  readonly Guard: string | null;
  readonly RequiredProperties: readonly string[];
  readonly CommentRequired: boolean | null;
  readonly Blocked: boolean | null;
  readonly From: { readonly Value: string } | null;
  readonly To: { readonly Value: string };
  readonly AllowedRoles: readonly { readonly Name: string }[];
}

const EXPAND =
  '$expand=From($select=Uid,Value),To($select=Uid,Value),AllowedRoles($select=Uid,Name)';
const ROOT = 'workflow';

/** The workflow of a type; undefined while it is read. */
export function useWorkflow({ entity, set, status }: Subject): {
  readonly workflow: Workflow | undefined;
  readonly error: Error | null;
} {
  const codes = useCodes(status.codeList);
  const states = codes?.filter(({ disabled }) => !disabled);
  const { data, error } = useQuery({
    queryKey: [ROOT, entity, states?.map(({ value }) => value)],
    queryFn: async ({ signal }) => await readWorkflow(entity, set, status, states ?? [], signal),
    enabled: states !== undefined,
  });
  if (states === undefined || data === undefined) return { workflow: undefined, error };
  const shown = states.map(({ value, text }): State => ({ value, label: text }));
  return { workflow: { states: shown, ...data }, error };
}

async function readWorkflow(
  entity: string,
  set: EntitySet,
  status: Member,
  states: readonly { readonly value: string }[],
  signal: AbortSignal,
): Promise<Omit<Workflow, 'states'>> {
  const rowsPath = `Transitions?$filter=Entity/Name eq ${literal(entity, 'Edm.String')}&${EXPAND}&$top=250`;
  const paths = states.map(
    ({ value }) =>
      `${set.name}/AllowedTransitions()?$filter=${status.name}/Value eq ${value}&$top=1`,
  );
  const [rows, ...allowed] = await readTogether([rowsPath, ...paths].map(encodeURI), signal);
  const stored = contentOf(rows) as { readonly value: readonly StoredRow[] };
  const lists = allowed.map((result) => contentOf(result) as Allowed);
  return {
    rows: stored.value.map(toRow),
    declared: lists.flatMap(({ value }) => value.flatMap(toDeclared)),
    unknown: new Set(
      states.filter((_, index) => lists[index]?.value.length === 0).map(({ value }) => value),
    ),
  };
}

function contentOf(result: BatchResult | undefined): unknown {
  if (result?.kind === 'value') return result.value;
  throw result?.error ?? new Error('The batch has too few responses.');
}

function toDeclared({ State: from, Transitions }: Allowed['value'][number]): readonly Declared[] {
  return Transitions.map(({ Symbol: symbol, To, Takers, Comment, Clocks }) => ({
    symbol,
    from: String(from),
    to: String(To),
    takers: Takers,
    needsComment: Comment,
    clocks: Clocks.map(({ Clock, Effect }) => ({ clock: Clock, effect: Effect })),
  }));
}

function toRow(row: StoredRow): Row {
  return {
    uid: row.Uid,
    etag: row['@odata.etag'],
    symbol: row.Symbol,
    from: row.From === null ? undefined : String(row.From.Value),
    to: String(row.To.Value),
    guard: row.Guard ?? '',
    required: row.RequiredProperties,
    roles: row.AllowedRoles.map(({ Name }) => Name),
    needsComment: row.CommentRequired === true,
    isBlocked: row.Blocked === true,
  };
}

function bodyOf(entity: string, row: Row) {
  const role = (name: string) => ({
    '@id': `Roles(Name=${encodeURIComponent(literal(name, 'Edm.String'))})`,
  });
  const code = (value: string) => ({ '@id': `Codes(${value})` });
  return {
    Symbol: row.symbol,
    Entity: { '@id': `Entities(Name=${encodeURIComponent(literal(entity, 'Edm.String'))})` },
    From: row.from === undefined ? null : code(row.from),
    To: code(row.to),
    Guard: row.guard.trim() === '' ? null : row.guard,
    RequiredProperties: row.required,
    AllowedRoles: row.roles.map(role),
    CommentRequired: row.needsComment,
    Blocked: row.isBlocked,
  };
}

/** Checks, stores and deletes rows, which are read again if others have changed them. A check is the change without its effect. */
export function useChangeRow(entity: string) {
  const client = useQueryClient();
  const readAgain = async () => await client.invalidateQueries({ queryKey: [ROOT, entity] });
  const send = async (row: Row, prefer: string, headers: Readonly<Record<string, string>>) =>
    await request(row.uid === undefined ? 'Transitions' : entityPath('Transitions', row.uid), {
      method: row.uid === undefined ? 'POST' : 'PATCH',
      headers: {
        Prefer: prefer,
        ...headers,
        ...(row.etag === undefined ? {} : { 'If-Match': row.etag }),
      },
      body: bodyOf(entity, row),
    });
  return {
    check: useMutation({
      mutationFn: async (row: Row) => await send(row, 'dry-run, return=minimal', {}),
      onError: readAgain,
    }),
    save: useMutation({
      mutationFn: async (row: Row) =>
        await send(row, 'return=minimal', row.uid === undefined ? repeatable() : {}),
      onSettled: readAgain,
    }),
    remove: useMutation({
      mutationFn: async ({ uid = '', etag = '*' }: Row) =>
        await request(entityPath('Transitions', uid), {
          method: 'DELETE',
          headers: { 'If-Match': etag },
        }),
      onSettled: readAgain,
    }),
  };
}
