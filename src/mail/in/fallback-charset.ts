// This file corrects the encodings that messages claim. Texts with bytes that are invalid in their encoding are read as windows-1252.
// WHATWG Encoding Standard.

const FALLBACK = 'windows-1252';
/** A content type of text without parameters. */
const BARE_TEXT = /^(content-type:[ \t]*text\/(?:plain|html))[ \t;]*(?=\r?$)(?!\r?\n[ \t])/gim;

/** The names of gb18030 that the runtime reads as its smaller predecessor. */
const CHINESE = /((?:charset[ \t]*=[ \t]*"?|=\?))(?:gb2312|gbk|gb_2312-80|x-gbk)(?=["?;\s]|$)/gim;

/** The message with gb18030 in place of its predecessors. */
export function standardSource(raw: Uint8Array): Uint8Array {
  const text = Buffer.from(raw).toString('latin1');
  const standard = text.replace(CHINESE, '$1gb18030');
  return standard === text ? raw : Buffer.from(standard, 'latin1');
}

/** windows-1252 from 0x80; the runtime reads some of its names as ISO-8859-1, in which these are control characters. */
const UPPER = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The text with the characters of windows-1252 in place of control characters. */
export function withoutControls(text: string): string {
  return text.replace(/[\u0080-\u009f]/g, (control) => UPPER[control.charCodeAt(0) - 0x80] ?? '');
}

/** The message with windows-1252 in place of UTF-8, ASCII and no encoding. */
export function fallbackSource(raw: Uint8Array): Uint8Array {
  const text = Buffer.from(raw).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const head = encodedHead(text.slice(0, end));
  const typed = /^content-type:/im.test(head)
    ? head
    : `Content-Type: text/plain; charset=${FALLBACK}\r\n${head}`;
  return Buffer.from(relabelled(typed + text.slice(end)), 'latin1');
}

function relabelled(text: string): string {
  return text
    .replace(/charset[ \t]*=[ \t]*"?(?:utf-?8|us-ascii)"?/gi, `charset=${FALLBACK}`)
    .replace(/(=\?)(?:utf-?8|us-ascii)(?=\?)/gi, `$1${FALLBACK}`)
    .replace(BARE_TEXT, `$1; charset=${FALLBACK}`);
}

/** Header lines with bytes above ASCII, which are parsed as UTF-8. */
function encodedHead(head: string): string {
  const bytes = Buffer.from(head, 'latin1');
  return Buffer.from(new TextDecoder(FALLBACK).decode(bytes), 'utf8').toString('latin1');
}
