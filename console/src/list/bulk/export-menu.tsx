// This file saves the rows of a list as a file of CSV or Excel, with progress and a way to cancel.
import { Button, Menu } from '@mantine/core';
import { useRef, useState } from 'react';
import { request } from '../../api/client.ts';
import type { SetRights } from '../../app/rights.ts';
import { useErrorText } from '../../components/error-notice.tsx';
import { showToast } from '../../components/toasts.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import type { EntitySet, StructuredType } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { possibleColumns } from '../list-columns.ts';
import { exportPath, type ListQuery } from '../list-request.ts';

type Format = 'csv' | 'xlsx';

export function ExportMenu({
  set,
  type,
  rights,
  query,
}: {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly rights: SetRights;
  readonly query: ListQuery;
}) {
  const text = useText();
  const model = useModel();
  const formats = useFormats();
  const errorText = useErrorText();
  const [bytes, setBytes] = useState<number>();
  const [isOpen, setOpen] = useState(false);
  const stop = useRef(new AbortController());
  const save = async (format: Format, all: boolean) => {
    stop.current = new AbortController();
    setBytes(0);
    try {
      const columns = all ? possibleColumns(model, type, rights.Unreadable) : query.columns;
      const path = exportPath(model, type, { ...query, columns }, format);
      const file = await download(path, stop.current.signal, setBytes);
      saveFile(`${set.name}.${format}`, file);
    } catch (error) {
      if (!stop.current.signal.aborted) showToast({ kind: 'failure', text: errorText(error) });
    }
    setBytes(undefined);
  };
  const isExporting = bytes !== undefined;
  // The same button exports and cancels, so that it keeps the focus.
  return (
    <Menu
      position="bottom-end"
      opened={isOpen}
      onChange={(opens) => setOpen(opens && !isExporting)}
    >
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          {...(isExporting ? { onClick: () => stop.current.abort() } : {})}
        >
          {isExporting
            ? text('bulk.exporting', { size: formats.number(Math.ceil(bytes / 1024)) })
            : text('bulk.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save('csv', false)}>{text('bulk.csvShown')}</Menu.Item>
        <Menu.Item onClick={() => void save('xlsx', false)}>{text('bulk.xlsxShown')}</Menu.Item>
        <Menu.Item onClick={() => void save('csv', true)}>{text('bulk.csvAll')}</Menu.Item>
        <Menu.Item onClick={() => void save('xlsx', true)}>{text('bulk.xlsxAll')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Reads a response and reports how many bytes have arrived. Rejects if the connection closes before the end. */
async function download(
  path: string,
  signal: AbortSignal,
  report: (bytes: number) => void,
): Promise<Blob> {
  const response = await request(path, { signal, headers: { Accept: '*/*' } });
  const parts: BlobPart[] = [];
  let bytes = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const result = await reader?.read();
    if (result === undefined || result.done) break;
    parts.push(result.value);
    bytes += result.value.length;
    report(bytes);
  }
  return new Blob(parts, { type: response.headers.get('Content-Type') ?? '' });
}

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started to save by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
