// This file is a step of the dialog. It gets the focus, since the button that has led to it is gone.
import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';

export function Step({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => ref.current?.focus(), []);
  return (
    <Stack ref={ref} tabIndex={-1} gap="sm" style={{ outline: 'none' }}>
      {children}
    </Stack>
  );
}
