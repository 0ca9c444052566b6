// This file decodes bodies that are text by the charset of their Content-Type.
import { Fault } from '../base/fault.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a text and drops a byte order mark. @param charset the parameter of the media type; UTF-8 without one
 * Throws: request.media-type (unknown charset), request.body (invalid bytes).
 */
export function readText(body: Uint8Array, charset = 'UTF-8'): string {
  const decoder = charset === 'UTF-8' ? UTF8 : decoderOf(charset);
  try {
    return decoder.decode(body);
  } catch {
    throw new Fault('request.body', { reason: `it is not valid ${charset.slice(0, 60)}` });
  }
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    const type = `charset=${charset.slice(0, 60)}`;
    const parameters = { type, supported: 'charset=utf-8' };
    throw new Fault('request.media-type', parameters, { target: 'Content-Type' });
  }
}
