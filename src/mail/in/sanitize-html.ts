// This file makes the HTML of messages safe to show: no scripts, styles, forms or event handlers, and nothing that is loaded from other
// servers. Images of the message itself refer to its files.
import sanitize from 'sanitize-html';
import { DROPPED } from './html-text.ts';

const TAGS = (
  'p br hr div span a b strong i em u s sub sup small big blockquote pre code ul ol li dl dt dd ' +
  'h1 h2 h3 h4 h5 h6 table thead tbody tfoot tr th td caption img center font address del ins'
).split(' ');

/** @param addressOf the URL of the file with a Content-ID */
export function sanitizeHtml(
  html: string,
  addressOf: (contentId: string) => string | undefined,
): string {
  return sanitize(html, {
    allowedTags: TAGS,
    nonTextTags: DROPPED,
    allowedAttributes: {
      '*': ['title', 'dir', 'lang'],
      a: ['href', 'rel'],
      img: ['src', 'alt', 'width', 'height'],
      th: ['colspan', 'rowspan'],
      td: ['colspan', 'rowspan'],
      ol: ['start'],
    },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: [] },
    allowProtocolRelative: false,
    // A deeply nested document would exhaust the stack of programs that show it.
    nestingLimit: 100,
    transformTags: {
      a: (_, { href, title }) => ({
        tagName: 'a',
        attribs: { ...(title && { title }), ...(href && { href }), rel: 'noopener noreferrer' },
      }),
      img: (_, { src = '', alt = '' }) => {
        const id = /^cid:(.+)$/i.exec(src.trim())?.[1];
        const address = id === undefined ? undefined : addressOf(decoded(id));
        return { tagName: 'img', attribs: { ...(address && { src: address }), alt } };
      },
    },
  });
}

/** RFC 2392: the Content-ID in a URL is percent-encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
