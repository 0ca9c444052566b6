// This file shows the start of a long text, and the whole of it on request, so that what follows is not pushed off a small screen.
import { Anchor } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/text.tsx';

const LONG_TEXT = 600;
const LONG_LINES = 12;
const SHOWN_TEXT = 300;
const SHOWN_LINES = 6;

/** The first lines and words of a text; undefined if it is not long. */
function startOf(whole: string): string | undefined {
  const lines = whole.split('\n');
  if (whole.length <= LONG_TEXT && lines.length <= LONG_LINES) return undefined;
  const first = lines.slice(0, SHOWN_LINES).join('\n');
  const end = first.length <= SHOWN_TEXT ? first.length : first.lastIndexOf(' ', SHOWN_TEXT);
  return `${first.slice(0, end > 0 ? end : SHOWN_TEXT)}…`;
}

/** @param render shows the text, or the start of it */
export function FoldedText({
  whole,
  label,
  render,
}: {
  readonly whole: string;
  readonly label: string;
  readonly render: (shown: string) => ReactNode;
}) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const start = startOf(whole);
  if (start === undefined) return render(whole);
  const toggle = text(isOpen ? 'portal.showLess' : 'portal.showMore');
  return (
    <>
      {render(isOpen ? whole : start)}
      <Anchor
        component="button"
        type="button"
        size="sm"
        display="block"
        aria-expanded={isOpen}
        aria-label={`${toggle}: ${label}`}
        onClick={() => setOpen(!isOpen)}
      >
        {toggle}
      </Anchor>
    </>
  );
}
