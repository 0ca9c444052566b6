// This file renders errors in the format of the client. The details of internal errors are not disclosed.
// OData JSON Format 4.01, "Error Response"; OData Atom Format 4.0, "Error Response".
import { Fault, type FaultDetail } from '../base/fault.ts';
import { element, writeXml, type XmlElement } from '../base/xml.ts';
import { DEFAULT_JSON } from '../request/headers/headers.ts';
import type { Negotiated } from '../request/tree.ts';
import { contentType, headersOf } from './headers.ts';
import type { Answer } from './response.ts';

/** Version and format of an error response. */
export type ErrorForm = Pick<Negotiated, 'version' | 'errorFormat'>;

/** For requests that cannot be parsed far enough. */
const DEFAULT: ErrorForm = {
  version: '4.0',
  errorFormat: DEFAULT_JSON,
};

const METADATA_NAMESPACE = 'http://docs.oasis-open.org/odata/ns/metadata';

/** Renders an error; anything but a Fault becomes `internal`. Messages are in English. */
export function renderError(error: unknown, form: ErrorForm = DEFAULT): Answer {
  const fault = error instanceof Fault ? error : new Fault('internal');
  const { version, errorFormat } = form;
  const type = contentType(errorFormat, version);
  return {
    status: fault.status,
    headers: { ...headersOf(form, { language: 'en', type }), ...fault.headers },
    body: errorFormat.kind === 'xml' ? errorXml(fault) : errorJson(fault),
  };
}

/** `{"error":{"code":…,"message":…,"target":…,"details":[…]}}` */
function errorJson(fault: Fault): string {
  const { code, message, target, details } = fault;
  return JSON.stringify({
    error: {
      code,
      message,
      ...(target === undefined ? {} : { target }),
      ...(details.length === 0 ? {} : { details }),
    },
  });
}

function errorXml(fault: Fault): string {
  const { code, message, target, details } = fault;
  const listed = details.map((detail) => element('m:detail', {}, entry(detail)));
  return writeXml(
    element('m:error', { 'xmlns:m': METADATA_NAMESPACE }, [
      ...entry({ code, message, ...(target === undefined ? {} : { target }) }),
      ...(listed.length === 0 ? [] : [element('m:details', {}, listed)]),
    ]),
  );
}

function entry({ code, message, target }: FaultDetail): readonly XmlElement[] {
  return [
    element('m:code', {}, [code]),
    element('m:message', {}, [message]),
    ...(target === undefined ? [] : [element('m:target', {}, [target])]),
  ];
}
