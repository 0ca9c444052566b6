// This file shows the files of a record, and takes more: dropped, pasted, or chosen.
import '@mantine/core/styles/Progress.css';
import { Alert, Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { request } from '../../api/client.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import type { Entity } from '../../model/entity.ts';
import { type Member, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { useErrorText } from '../error-notice.tsx';
import { FileDrop } from '../file-drop.tsx';
import { showToast } from '../toasts.tsx';
import classes from './attachments.module.css';
import { FileList } from './file-list.tsx';
import { type FileLimits, fileName, fileProblem } from './file-rules.ts';
import { type Upload, UploadQueue } from './upload-queue.ts';

export interface AttachmentsProps {
  /** The path of the collection. */
  readonly path: string;
  readonly member: Member;
  readonly files: readonly Entity[];
  readonly mayAttach: boolean;
  readonly mayRemove: boolean;
  /** Called after a file has been added or removed. */
  readonly changed: () => void;
}

export function Attachments(props: AttachmentsProps) {
  const { path, member, files, mayAttach, mayRemove, changed } = props;
  const text = useText();
  const [queue] = useState(() => new UploadQueue(path, changed));
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (queue.uploads().some(({ state }) => state === 'sending')) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [queue]);
  return (
    <Stack>
      {mayAttach && <DropZone member={member} onFiles={(list) => queue.add(list)} />}
      <Uploads queue={queue} />
      {files.length === 0 && uploads.length === 0 && (
        <Text size="sm" c="dimmed">
          {text('record.noFiles')}
        </Text>
      )}
      <FileList
        files={files}
        path={path}
        member={member}
        buttons={(file, filePath) =>
          mayRemove ? (
            <RemoveFile
              name={fileName(file)}
              remove={async () => {
                await request(filePath, { method: 'DELETE' });
                changed();
              }}
            />
          ) : null
        }
      />
    </Stack>
  );
}

function DropZone({
  member,
  onFiles,
}: {
  readonly member: Member;
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const text = useText();
  const [problems, setProblems] = useState<readonly string[]>([]);
  const problemOf = useFileProblem(typeNamed(useModel(), member.type));
  const take = (files: readonly File[]) => {
    setProblems(files.flatMap((file) => problemOf(file) ?? []));
    onFiles(files.filter((file) => problemOf(file) === undefined));
  };
  usePastedFiles(take);
  return (
    <FileDrop onFiles={take} hint={text('record.dropFiles')}>
      {problems.map((problem) => (
        <Alert key={problem} color="red" role="alert" mt="xs">
          {problem}
        </Alert>
      ))}
    </FileDrop>
  );
}

/** A function that returns why a file is refused. */
export function useFileProblem(limits: FileLimits): (file: File) => string | undefined {
  const text = useText();
  const formats = useFormats();
  return (file) => {
    const problem = fileProblem(limits, file);
    if (problem?.kind === 'size') {
      const limit = formats.number(Math.floor(problem.limit / 1024 / 1024));
      return text('record.fileTooLarge', { name: file.name, limit });
    }
    return problem?.kind === 'type'
      ? text('record.fileType', { name: file.name, permitted: problem.permitted })
      : undefined;
  };
}

function usePastedFiles(take: (files: readonly File[]) => void): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      take(files);
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  });
}

/** The files that are being sent. Screen readers hear when they are stored. */
export function Uploads({ queue }: { readonly queue: UploadQueue }) {
  const text = useText();
  const uploads = useSyncExternalStore(queue.subscribe, queue.uploads);
  const count = useSyncExternalStore(queue.subscribe, queue.stored);
  return (
    <>
      <ul className={classes.list}>
        {uploads.map((upload) => (
          <UploadLine key={upload.id} upload={upload} queue={queue} />
        ))}
      </ul>
      <span role="status" className="visually-hidden">
        {count > 0 && text('record.uploaded', { count })}
      </span>
    </>
  );
}

function UploadLine({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }) {
  const text = useText();
  const errorText = useErrorText();
  const { id, name, state, progress, error } = upload;
  return (
    <li>
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Group gap={4}>
          {state === 'clash' && (
            <>
              <Button size="compact-xs" variant="default" onClick={() => queue.retry(id, 'rename')}>
                {text('record.renameFile')}
              </Button>
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => queue.retry(id, 'replace')}
              >
                {text('record.replaceFile')}
              </Button>
            </>
          )}
          {state === 'failed' && (
            <Button size="compact-xs" variant="default" onClick={() => queue.retry(id)}>
              {text('common.retry')}
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => queue.cancel(id)}
            aria-label={text('record.cancelFile', { name })}
          >
            {text('common.cancel')}
          </Button>
        </Group>
      </Group>
      {error === undefined || state === 'sending' || state === 'waiting' ? (
        <Progress
          value={progress * 100}
          aria-label={text('record.progressOf', { name })}
          size="sm"
          mt={4}
        />
      ) : (
        <Text size="xs" c="red" role="alert">
          {errorText(error)}
        </Text>
      )}
    </li>
  );
}

export function RemoveFile({
  name,
  remove,
}: {
  readonly name: string;
  readonly remove: () => Promise<void>;
}) {
  const text = useText();
  const errorText = useErrorText();
  const [isAsking, setAsking] = useState(false);
  const run = async () => {
    try {
      await remove();
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
    setAsking(false);
  };
  return (
    <Button
      size="compact-xs"
      color="red"
      variant={isAsking ? 'filled' : 'subtle'}
      aria-label={text(isAsking ? 'record.removeSure' : 'record.removeFile', { name })}
      onBlur={() => setAsking(false)}
      onClick={() => (isAsking ? void run() : setAsking(true))}
    >
      {text(isAsking ? 'record.sure' : 'common.remove')}
    </Button>
  );
}
