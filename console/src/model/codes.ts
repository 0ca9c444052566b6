// This file reads code lists: the permitted values of code properties, with their texts in the language of the user.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { requestJson } from '../api/client.ts';
import { useLanguage } from '../i18n/text.tsx';
import type { Model } from './model.ts';
import { useModel } from './use-model.tsx';

export interface Code {
  readonly value: string;
  readonly text: string;
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

/** Models of an installation may use the names of the sets themselves. */
function setName(model: Model): string {
  return model.sets.has('DocketCodeLists') ? 'DocketCodeLists' : 'CodeLists';
}

async function readCodes(model: Model, list: string, signal: AbortSignal): Promise<readonly Row[]> {
  const key = `Name='${list.replaceAll("'", "''")}'`;
  const path = `${setName(model)}(${encodeURIComponent(key)})/Codes?$expand=Parent($select=Uid,Value)&$orderby=Ordering,Value&$top=250`;
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
  const { data } = useQuery({ ...codesQuery(model, list ?? ''), enabled: list !== undefined });
  return data?.map((row) => toCode(row, language));
}

/** A function that returns the codes of a list, from the cache where they are there; none where they cannot be read. */
export function useReadCodes(): (list: string) => Promise<readonly Code[]> {
  const model = useModel();
  const language = useLanguage();
  const client = useQueryClient();
  return useCallback(
    async (list) => {
      const rows = await client.fetchQuery(codesQuery(model, list)).catch(() => []);
      return rows.map((row) => toCode(row, language));
    },
    [model, language, client],
  );
}

function toCode(row: Row, language: string): Code {
  const text = row.Texts.find(({ Language }) => Language === language) ?? row.Texts[0];
  return {
    value: String(row.Value),
    text: text?.Text ?? String(row.Value),
    meaning: row.Meaning ?? undefined,
    disabled: row.Disabled === true,
    criticality: row.Criticality ?? undefined,
    icon: row.Icon ?? undefined,
    parent: row.Parent?.Value,
  };
}
