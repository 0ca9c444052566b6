// This file reads code lists: the permitted values of code properties, with their texts in the language of the user.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { requestJson } from '../api/client.ts';
import { useRights } from '../app/rights.ts';
import { useLanguage } from '../i18n/text.tsx';
import type { Model } from './model.ts';
import { useModel } from './use-model.tsx';

export interface Code {
  readonly value: string;
  readonly text: string;
  /** Its texts in all languages. Histories contain that of the account that made the change. */
  readonly texts: readonly string[];
  /** The stable symbol of the code, such as `RESOLVED`. */
  readonly meaning: string | undefined;
  readonly disabled: boolean;
  /** UI vocabulary of SAP, "CriticalityType". */
  readonly criticality: number | undefined;
  readonly icon: string | undefined;
  readonly parent: string | undefined;
}

interface Row {
  readonly Value: string;
  readonly Texts: readonly { readonly Language: string; readonly Text: string }[];
  readonly Ordering: number | null;
  readonly Disabled: boolean | null;
  readonly Meaning: string | null;
  readonly Criticality?: number | null;
  readonly Icon?: string | null;
  readonly Parent?: { readonly Value: string } | null;
}

/** The set with the name, which has a prefix where the model uses the name itself. */
function setName(model: Model, name: 'CodeLists' | 'Codes'): string {
  return model.sets.has(`Docket${name}`) ? `Docket${name}` : name;
}

/** Whether the account may read codes. */
function useMayReadCodes(): boolean {
  const model = useModel();
  const { of } = useRights();
  return of(setName(model, 'CodeLists')).Read && of(setName(model, 'Codes')).Read;
}

async function readCodes(model: Model, list: string, signal: AbortSignal): Promise<readonly Row[]> {
  const key = `Name='${list.replaceAll("'", "''")}'`;
  const path = `${setName(model, 'CodeLists')}(${encodeURIComponent(key)})/Codes?$expand=Parent($select=Uid,Value)&$orderby=Ordering,Value&$top=250`;
  const { value } = await requestJson<{ readonly value: readonly Row[] }>(path, { signal });
  return value;
}

function codesQuery(model: Model, list: string) {
  return {
    queryKey: ['codes', list],
    queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
      await readCodes(model, list, signal),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The codes of a list in their order; undefined while they load, or where the account may not read them. */
export function useCodes(list: string | undefined): readonly Code[] | undefined {
  const model = useModel();
  const language = useLanguage();
  const enabled = useMayReadCodes() && list !== undefined;
  const { data } = useQuery({ ...codesQuery(model, list ?? ''), enabled });
  return data?.map((row) => toCode(row, language));
}

/** A function that returns the codes of a list, from the cache where they are there; none where they cannot be read. */
export function useReadCodes(): (list: string) => Promise<readonly Code[]> {
  const model = useModel();
  const language = useLanguage();
  const client = useQueryClient();
  const mayRead = useMayReadCodes();
  return useCallback(
    async (list) => {
      if (!mayRead) return [];
      const rows = await client.fetchQuery(codesQuery(model, list)).catch(() => []);
      return rows.map((row) => toCode(row, language));
    },
    [model, language, client, mayRead],
  );
}

function toCode(row: Row, language: string): Code {
  const text = row.Texts.find(({ Language }) => Language === language) ?? row.Texts[0];
  return {
    value: String(row.Value),
    text: text?.Text ?? String(row.Value),
    texts: row.Texts.map(({ Text }) => Text),
    meaning: row.Meaning ?? undefined,
    disabled: row.Disabled === true,
    criticality: row.Criticality ?? undefined,
    icon: row.Icon ?? undefined,
    parent: row.Parent?.Value,
  };
}
