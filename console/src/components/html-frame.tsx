// This file shows HTML that others have written, such as mails: sanitised, in a frame without scripts, without requests to other servers.
// The frame inherits the Content-Security-Policy of the page, so that style attributes and remote images do nothing.
import DOMPurify from 'dompurify';
import { useMemo } from 'react';
import { useText } from '../i18n/text.tsx';
import type { Member } from '../model/model.ts';
import classes from './html-frame.module.css';

/** Whether the text of a member is HTML. */
export function isHtml(member: Member): boolean {
  if (member.type !== 'Edm.String' || member.collection) return false;
  const mediaType = member.annotations['Core.MediaType'];
  return mediaType === undefined ? /Html$/.test(member.name) : mediaType === 'text/html';
}

const REMOTE = ['src', 'srcset', 'background', 'poster', 'lowsrc', 'dynsrc', 'ping'];

const PURIFY = DOMPurify();
PURIFY.addHook('afterSanitizeAttributes', (element) => {
  for (const name of REMOTE) {
    // Images of the mail itself are data; SVG can contain references.
    const value = element.getAttribute(name) ?? '';
    const isInline = name === 'src' && /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(value);
    if (!isInline) element.removeAttribute(name);
  }
  if (!element.hasAttribute('href')) return;
  if (/^(?:https?|mailto):/i.test(element.getAttribute('href') ?? '')) {
    element.setAttribute('rel', 'noopener noreferrer nofollow');
    element.setAttribute('target', '_blank');
  } else element.removeAttribute('href');
});

/** HTML without anything that runs, loads, submits or styles. */
function safeHtml(html: string): string {
  return PURIFY.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [
      ...['style', 'form', 'input', 'button', 'select', 'textarea', 'option', 'dialog'],
      ...['svg', 'math', 'video', 'audio', 'source', 'track', 'picture', 'map', 'area'],
      ...['base', 'meta', 'link', 'template', 'slot'],
    ],
    FORBID_ATTR: ['style', 'class', 'id', 'name', 'autofocus', 'tabindex', 'action', 'formaction'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

export function HtmlFrame({ html, title }: { readonly html: string; readonly title: string }) {
  const text = useText();
  const document = useMemo(() => safeHtml(html), [html]);
  return (
    <iframe
      className={classes.frame}
      sandbox="allow-popups allow-popups-to-escape-sandbox"
      srcDoc={document}
      title={text('record.htmlOf', { title })}
      referrerPolicy="no-referrer"
    />
  );
}
