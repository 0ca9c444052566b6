// This file lists attached files: download by the token of the session, and a preview of types that cannot contain script.
import { Anchor, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { request } from '../../api/client.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { type Entity, keyOf } from '../../model/entity.ts';
import { type Member, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { Dialog } from '../dialog.tsx';
import { useErrorText } from '../error-notice.tsx';
import { Scrollable } from '../scrollable.tsx';
import { showToast } from '../toasts.tsx';
import classes from './attachments.module.css';
import { fileName, previewKind } from './file-rules.ts';

/** Bytes of a text that a preview shows. */
const TEXT_PREVIEW = 1024 * 1024;

export function FileList({
  files,
  path,
  member,
  buttons,
}: {
  readonly files: readonly Entity[];
  /** Of the collection. */
  readonly path: string;
  readonly member: Member;
  readonly buttons?: (file: Entity, filePath: string) => ReactNode;
}) {
  const model = useModel();
  const type = typeNamed(model, member.type);
  if (files.length === 0) return null;
  return (
    <ul className={classes.list} aria-label={member.label}>
      {files.map((file) => {
        const key = keyOf(type, file) ?? '';
        const filePath = `${path}(${encodeURIComponent(key)})`;
        return (
          <li key={key}>
            <FileLine
              name={fileName(file)}
              path={`${filePath}/$value`}
              mediaType={String(file.MediaType ?? '')}
              size={file.Size === undefined ? undefined : Number(file.Size)}
            >
              {buttons?.(file, filePath)}
            </FileLine>
          </li>
        );
      })}
    </ul>
  );
}

interface FileLineProps {
  readonly name: string;
  /** Of the content. */
  readonly path: string;
  readonly mediaType: string;
  readonly showsType?: boolean;
  /** Bytes. */
  readonly size: number | undefined;
  readonly children: ReactNode;
}

export function FileLine(props: FileLineProps) {
  const { name, path, mediaType, showsType = false, size, children } = props;
  const text = useText();
  const formats = useFormats();
  const errorText = useErrorText();
  const [preview, setPreview] = useState<Blob>();
  const kind = previewKind(mediaType);
  const facts = [
    ...(showsType ? [mediaType] : []),
    ...(size === undefined ? [] : [`${formats.number(Math.ceil(size / 1024))} kB`]),
  ];
  const read = async (use: (content: Blob) => void) => {
    try {
      const response = await request(path, { headers: { Accept: '*/*' } });
      use(await response.blob());
    } catch (error) {
      showToast({ kind: 'failure', text: errorText(error) });
    }
  };
  return (
    <Group gap="xs" justify="space-between" py={4} wrap="nowrap" align="baseline">
      <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="start"
          onClick={() => void read((content) => saveAs(content, name))}
          aria-label={text('record.download', { name })}
        >
          {name}
        </Anchor>
        {facts.length > 0 && (
          <Text span size="xs" c="dimmed" ml="xs">
            {facts.join(', ')}
          </Text>
        )}
      </div>
      <Group gap={4} wrap="nowrap">
        {kind !== undefined && (
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => void read(setPreview)}
            aria-label={text('record.previewOf', { name })}
          >
            {text('record.preview')}
          </Button>
        )}
        {children}
      </Group>
      {preview !== undefined && kind !== undefined && (
        <Dialog onClose={() => setPreview(undefined)} title={name} size="xl">
          <Preview kind={kind} content={preview} type={mediaType} name={name} />
        </Dialog>
      )}
    </Group>
  );
}

/** Saves a file. As `application/octet-stream`, so that no browser shows its content with the origin of the page. */
function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface PreviewProps {
  readonly content: Blob;
  readonly type: string;
  readonly name: string;
}

function Preview({ kind, ...props }: PreviewProps & { readonly kind: 'image' | 'text' }) {
  return kind === 'image' ? (
    <ImagePreview {...props} />
  ) : (
    <TextPreview content={props.content} label={props.name} />
  );
}

function ImagePreview({ content, type, name }: PreviewProps) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const created = URL.createObjectURL(new Blob([content], { type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [content, type]);
  return url === undefined ? null : <img className={classes.preview} src={url} alt={name} />;
}

function TextPreview({ content, label }: { readonly content: Blob; readonly label: string }) {
  const [shown, setShown] = useState('');
  useEffect(() => {
    void content.slice(0, TEXT_PREVIEW).text().then(setShown);
  }, [content]);
  return (
    <Scrollable label={label}>
      <pre className={classes.plain}>{shown}</pre>
    </Scrollable>
  );
}
