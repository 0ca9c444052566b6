// This file is the side panel in which lists show a record: `?peek={key}`.
import { CloseButton } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import type { EntitySet } from '../model/model.ts';

const RecordView = lazy(async () => ({
  default: (await import('../record/record-view.tsx')).RecordView,
}));

/** @param onClose called by the button and by Escape */
export function RecordPeek({
  set,
  recordKey,
  onClose,
}: {
  readonly set: EntitySet;
  /** The decoded key predicate. */
  readonly recordKey: string;
  readonly onClose: () => void;
}) {
  const text = useText();
  const [tab, setTab] = useState('details');
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      // Escape closes the topmost layer only.
      if (event.key !== 'Escape' || event.defaultPrevented || target?.closest('[role="dialog"]'))
        return;
      onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <aside aria-label={text('record.preview')}>
      <Suspense fallback={null}>
        <RecordView
          key={recordKey}
          set={set}
          recordKey={recordKey}
          place="panel"
          tab={tab}
          onTab={setTab}
          onDeleted={onClose}
        >
          <CloseButton aria-label={text('common.close')} onClick={onClose} />
        </RecordView>
      </Suspense>
    </aside>
  );
}
