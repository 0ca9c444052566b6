// This file is the dialog of all screens. When it closes, the focus returns to what has opened it, or to what is nearest to that.
import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useText } from '../i18n/text.tsx';
import { pathFrom, returnFocus } from './focus.ts';

/** A dialog that is open as long as it is rendered. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const text = useText();
  const [path] = useState(() => pathFrom(document.activeElement));
  useEffect(() => () => returnFocus(path), [path]);
  return (
    <Modal
      opened
      returnFocus={false}
      closeButtonProps={{ 'aria-label': text('common.close') }}
      {...props}
    />
  );
}
