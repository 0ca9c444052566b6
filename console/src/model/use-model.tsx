// This file loads the model once for each account and language, and gives it to all screens.
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { request, requestJson } from '../api/client.ts';
import { useLanguage } from '../i18n/text.tsx';
import { compileModel } from './compile-model.ts';
import type { Model } from './model.ts';

export interface Service {
  readonly model: Model;
  /** The names of the sets in the service document, in its order: the ones for everybody. */
  readonly listed: readonly string[];
}

const ServiceContext = createContext<Service | undefined>(undefined);

/** The model and the sets of the service. Only below ModelProvider. */
export function useService(): Service {
  const service = useContext(ServiceContext);
  if (service === undefined) throw new Error('useService is called outside of ModelProvider.');
  return service;
}

export const useModel = (): Model => useService().model;

interface ServiceDocument {
  readonly value: readonly { readonly name: string; readonly kind?: string }[];
}

/** The metadata with the sets and operations of the engine, which screens for administrators show. */
const METADATA = '$metadata?$format=json&engine=true';

async function readMetadata(signal: AbortSignal) {
  const [document, sets] = await Promise.all([
    request(METADATA, { signal, headers: { Accept: 'application/json' } }),
    requestJson<ServiceDocument>('', { signal }),
  ]);
  return {
    document: (await document.json()) as Readonly<Record<string, unknown>>,
    listed: sets.value.filter(({ kind }) => kind !== 'FunctionImport').map(({ name }) => name),
  };
}

/** Loads the model and shows `waiting` until it is there, or what `failed` returns. */
export function ModelProvider({
  children,
  waiting,
  failed,
}: {
  readonly children: ReactNode;
  readonly waiting: ReactNode;
  readonly failed: (error: Error, retry: () => void) => ReactNode;
}) {
  const language = useLanguage();
  const { data, error, refetch } = useQuery({
    queryKey: ['metadata'],
    queryFn: async ({ signal }) => await readMetadata(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const service = useMemo(
    () =>
      data === undefined
        ? undefined
        : { model: compileModel(data.document, language), listed: data.listed },
    [data, language],
  );
  if (error !== null && service === undefined) return failed(error, () => void refetch());
  if (service === undefined) return waiting;
  return <ServiceContext.Provider value={service}>{children}</ServiceContext.Provider>;
}
