// This file is the dialog of all screens. The focus goes to its first field unless a part asks for it; when it closes, the focus returns to what has opened it, or to what is nearest to that.
import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import { firstField, pathFrom, returnFocus } from './focus.ts';

/** A dialog that is open as long as it is rendered. */
export function Dialog({ children, ...props }: Omit<ModalProps, 'opened'>) {
  const text = useText();
  const [path] = useState(() => pathFrom(document.activeElement));
  useEffect(() => () => returnFocus(path), [path]);
  return (
    <Modal
      opened
      returnFocus={false}
      closeButtonProps={{ 'aria-label': text('common.close') }}
      {...props}
    >
      <div ref={markFirstField} style={{ display: 'contents' }}>
        {children}
      </div>
    </Modal>
  );
}

/** Without a mark, the dialog gives the focus to its button for closing. */
function markFirstField(content: HTMLElement | null): void {
  if (content?.querySelector('[data-autofocus]') === null)
    firstField(content)?.setAttribute('data-autofocus', '');
}
