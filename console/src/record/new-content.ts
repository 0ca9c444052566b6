// This file creates a media entity: first its content, then the other values, as the protocol has it.
import { useRef, useState } from 'react';
import { request } from '../api/client.ts';
import { sendFile } from '../api/send-file.ts';
import { type Entity, entityPath, keyOf } from '../model/entity.ts';
import type { EntitySet, StructuredType } from '../model/model.ts';
import { etagOf } from './record-data.ts';
import { type NewContent, typeOf } from './streams.tsx';

/** The content of a new media entity, and a function that creates the entity; undefined if no file has been chosen. */
export function useNewContent(set: EntitySet, type: StructuredType) {
  const [file, setFile] = useState<File>();
  const [misses, setMisses] = useState(0);
  const [progress, setProgress] = useState<number>();
  const stored = useRef<Entity>(undefined);

  const store = async (values: Entity, repeatable: Readonly<Record<string, string>>) => {
    if (file === undefined) throw new Error('No file has been chosen.');
    // Clients that assign keys do so by the URL.
    const key = keyOf(type, values);
    const isNamed = key !== undefined;
    const path = isNamed ? `${entityPath(set.name, key)}/$value` : set.name;
    const once = isNamed ? { 'If-None-Match': '*' } : repeatable;
    const headers = { Prefer: 'return=representation', ...typeOf(file), ...once };
    setProgress(0);
    try {
      const method = isNamed ? 'PUT' : 'POST';
      const options = { method, headers, body: file, onProgress: setProgress } as const;
      return JSON.parse(await sendFile(path, options)) as Entity;
    } finally {
      setProgress(undefined);
    }
  };

  const create = async (
    values: Entity,
    repeatable: Readonly<Record<string, string>>,
  ): Promise<Entity> => {
    // The values can be refused, corrected and sent again without the file.
    stored.current ??= await store(values, repeatable);
    const { current } = stored;
    const isKey = (name: string) => type.key.some(({ path }) => path === name);
    const rest = Object.entries(values).filter(([name]) => !isKey(name));
    if (rest.length === 0) return current;
    const etag = etagOf(current);
    const response = await request(entityPath(set.name, keyOf(type, current) ?? ''), {
      method: 'PATCH',
      headers: { Prefer: 'return=representation', ...(etag && { 'If-Match': etag }) },
      body: Object.fromEntries(rest),
    });
    return (await response.json()) as Entity;
  };

  const content: NewContent = {
    file,
    choose: (chosen) => {
      setFile(chosen);
      setMisses(0);
    },
    misses,
    progress,
    isStored: stored.current !== undefined,
  };
  return { content, create, miss: () => setMisses((before) => before + 1) };
}
