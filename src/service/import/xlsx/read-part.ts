// This file parses parts of a workbook as XML. Document types, which could define entities that expand to any size, are rejected.
import { SaxesParser } from 'saxes';
import { Fault } from '../../../base/fault.ts';

/** Receives elements by their names without prefix, and the text between tags in pieces. */
export interface PartHandler {
  readonly start: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly end: (name: string) => void;
  readonly text: (text: string) => void;
}

/** @param mayStop whether the rest of the part is not needed. Throws: import.file. */
export async function readPart(
  bytes: AsyncIterable<Uint8Array>,
  handler: PartHandler,
  mayStop: () => boolean = () => false,
): Promise<void> {
  const parser = new SaxesParser();
  parser.on('doctype', () => fail('it contains a document type'));
  parser.on('error', ({ message }) => fail(message));
  parser.on('opentag', ({ name, attributes }) => handler.start(localName(name), attributes));
  parser.on('closetag', ({ name }) => handler.end(localName(name)));
  parser.on('text', handler.text);
  parser.on('cdata', handler.text);
  const decoder = new TextDecoder('utf-8');
  for await (const piece of bytes) {
    parser.write(decoder.decode(piece, { stream: true }));
    if (mayStop()) return;
  }
  parser.write(decoder.decode()).close();
}

function fail(message: string): never {
  throw new Fault('import.file', { reason: `it is not a valid XLSX file (${message})` });
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
