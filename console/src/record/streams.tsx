// This file shows the content of a media entity and the streams of a record, and replaces them. A new media entity is given its content here.
import { Alert, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  type ReactNode,
  type Ref,
  useEffect,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { request } from '../api/client.ts';
import { type Rights, useRights } from '../app/rights.ts';
import { RemoveFile, Uploads, useFileProblem } from '../components/attachments/attachments.tsx';
import { FileLine } from '../components/attachments/file-list.tsx';
import type { FileLimits } from '../components/attachments/file-rules.ts';
import { UploadQueue } from '../components/attachments/upload-queue.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { FileDrop } from '../components/file-drop.tsx';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { type Field, type MemberRights, streamFields } from './fields.ts';
import classes from './record.module.css';
import { recordPath, refreshRecord } from './record-data.ts';
import type { LoadedProps } from './record-view.tsx';

/** The content of a media entity. */
export function ContentField(props: LoadedProps) {
  const { set, recordKey, record } = props;
  const text = useText();
  const mayWrite = useMayWrite(props);
  const { type } = record;
  if (!type.hasStream) return null;
  const path = `${recordPath(set, recordKey, type)}/$value`;
  const label = text('record.content');
  return <StreamField {...props} {...{ path, label, limits: type, mayWrite, mayRemove: false }} />;
}

/** The streams beside the other fields. */
export function StreamFields(props: LoadedProps) {
  const { set, recordKey, record, around } = props;
  const model = useModel();
  const { of } = useRights();
  const mayWrite = useMayWrite(props);
  const { type, unreadable } = record;
  const rights = around?.rights ?? rightsToSet(set, of);
  const fields = streamFields(model, type, { set, rights, unreadable, mode: 'change' });
  return fields.map(({ path, label, member, readOnly }: Field) => (
    <StreamField
      key={path}
      {...props}
      path={`${recordPath(set, recordKey, type)}/${path}`}
      label={label}
      limits={member}
      mayWrite={mayWrite && !readOnly}
      mayRemove={mayWrite && !readOnly && member.nullable}
    />
  ));
}

/** Writing contents takes the right to attach files. In a model without rights to single records, those to the set count. */
function useMayWrite({ set, around }: LoadedProps): boolean {
  const { of } = useRights();
  return around?.rights?.Attach ?? of(set.name).Update;
}

function rightsToSet(set: EntitySet, of: Rights['of']): MemberRights {
  const names = of(set.name).Unchangeable ?? [];
  return { Members: names.map((Name) => ({ Name, Read: true, Change: false })) };
}

interface StreamFieldProps extends LoadedProps {
  /** Of the content. */
  readonly path: string;
  readonly label: string;
  readonly limits: FileLimits;
  readonly mayWrite: boolean;
  readonly mayRemove: boolean;
}

function StreamField({ label, limits, mayWrite, mayRemove, ...props }: StreamFieldProps) {
  const { path, set, recordKey } = props;
  const text = useText();
  const { facts, error, refetch, tag } = useStored(props);
  const changed = async () => {
    await refetch();
    await refreshRecord(set.name, recordKey);
  };
  const [queue] = useState(
    () =>
      new UploadQueue(
        path,
        () => void changed(),
        (body) => ({ method: 'PUT', headers: { ...typeOf(body), ...tag() }, body }),
      ),
  );
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  // Somebody else has replaced it: trying again must be a decision about what is there now.
  const hasMoved = uploads.some((upload) => upload.error?.status === 412);
  useEffect(() => {
    if (hasMoved) void refetch();
  }, [hasMoved, refetch]);
  const remove = async () => {
    try {
      await request(path, { method: 'DELETE', headers: tag() });
    } finally {
      await changed();
    }
  };
  return (
    <Labelled label={label}>
      {error !== null && <ErrorNotice error={error} retry={() => void refetch()} />}
      {facts === null && !mayWrite && '–'}
      {facts && (
        <FileLine
          {...facts}
          name={facts.name ?? `${label}${extensionOf(facts.mediaType)}`}
          path={path}
          showsType
        >
          {mayRemove && <RemoveFile name={label} remove={remove} />}
        </FileLine>
      )}
      <Uploads queue={queue} />
      {mayWrite && facts !== undefined && uploads.length === 0 && (
        <FileChoice
          label={text(facts === null ? 'record.chooseFile' : 'record.replaceFile')}
          name={label}
          limits={limits}
          onFile={(file) => queue.add([file])}
        />
      )}
    </Labelled>
  );
}

/** What is stored: null if nothing is. The function returns the headers of a change of it. */
function useStored({ path, record }: Pick<StreamFieldProps, 'path' | 'record'>) {
  const { data, error, refetch } = useQuery({
    queryKey: ['stream', path, record.etag],
    queryFn: async ({ signal }) => {
      const headers = { Accept: '*/*' };
      return storedOf(await request(path, { method: 'HEAD', headers, signal }));
    },
    placeholderData: (before) => before,
  });
  const latest = useRef(data);
  latest.current = data;
  const tag = (): Readonly<Record<string, string>> => {
    if (latest.current === null) return { 'If-None-Match': '*' };
    const etag = latest.current?.etag;
    return etag ? { 'If-Match': etag } : {};
  };
  return { facts: data, error, refetch, tag };
}

function storedOf({ status, headers }: Response) {
  if (status === 204) return null;
  const disposition = headers.get('Content-Disposition') ?? '';
  const encoded = /filename\*=UTF-8''([^;]*)/i.exec(disposition)?.[1];
  const name = encoded ?? /filename="([^"]*)"/i.exec(disposition)?.[1];
  const size = headers.get('Content-Length');
  return {
    name: encoded === undefined ? name : decodeURIComponent(encoded),
    mediaType: headers.get('Content-Type') ?? 'application/octet-stream',
    size: size === null ? undefined : Number(size),
    etag: headers.get('ETag'),
  };
}

/** Downloads of contents without a name are given the end of one where the type says it. */
function extensionOf(mediaType: string): string {
  const end = /^[^/]+\/([a-z0-9]{1,5})(?:;|$)/i.exec(mediaType)?.[1]?.toLowerCase();
  if (end === 'plain') return '.txt';
  return end === undefined ? '' : `.${end}`;
}

/** Browsers do not know all types. */
export const typeOf = ({ type }: Blob) => ({
  'Content-Type': type === '' ? 'application/octet-stream' : type,
});

function Labelled({
  label,
  ref,
  children,
}: {
  readonly label: string;
  readonly ref?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for inputs, and here may be none.
    <div ref={ref} role="group" aria-labelledby={id} className={classes.stream}>
      <Text id={id} size="sm" c="dimmed">
        {label}
      </Text>
      {children}
    </div>
  );
}

function FileChoice({
  label,
  name,
  limits,
  problem,
  onFile,
}: {
  readonly label: string;
  readonly name: string;
  readonly limits: FileLimits;
  /** What is wrong where no file has been chosen. */
  readonly problem?: string | undefined;
  readonly onFile: (file: File) => void;
}) {
  const text = useText();
  const problemOf = useFileProblem(limits);
  const [refused, setRefused] = useState<string>();
  const shown = refused ?? problem;
  const take = ([file]: readonly File[]) => {
    if (file === undefined) return;
    const found = problemOf(file);
    setRefused(found);
    if (found === undefined) onFile(file);
  };
  return (
    <FileDrop onFiles={take} hint={text('record.dropFile')} single={{ label, name }}>
      {shown !== undefined && (
        <Alert color="red" role="alert" mt="xs">
          {shown}
        </Alert>
      )}
    </FileDrop>
  );
}

/** The content of a new media entity, as it is chosen and sent. */
export interface NewContent {
  readonly file: File | undefined;
  readonly choose: (file: File) => void;
  /** How often the form was sent without a file since one was chosen. */
  readonly misses: number;
  /** Between 0 and 1; undefined unless the file is being sent. */
  readonly progress: number | undefined;
  /** The file is stored, and only the other values are left to send. */
  readonly isStored: boolean;
}

export function NewContentField({
  content: { file, choose, misses, progress, isStored },
  limits,
}: {
  readonly content: NewContent;
  readonly limits: FileLimits;
}) {
  const text = useText();
  const label = text('record.content');
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (misses > 0) field.current?.querySelector('input')?.focus();
  }, [misses]);
  return (
    <Labelled label={label} ref={field}>
      {file !== undefined && <Text size="sm">{file.name}</Text>}
      {progress !== undefined && (
        <Progress
          value={progress * 100}
          aria-label={text('record.progressOf', { name: file?.name ?? '' })}
          size="sm"
        />
      )}
      {progress === undefined && !isStored && (
        <FileChoice
          label={text(file === undefined ? 'record.chooseFile' : 'record.replaceFile')}
          name={label}
          limits={limits}
          problem={misses > 0 ? text('record.fileMissing') : undefined}
          onFile={choose}
        />
      )}
    </Labelled>
  );
}
