// This file reads the header traceparent. Source: W3C Trace Context, "traceparent Header".

const HEADER = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-|$)/;

/** The trace of a request; undefined if the header is missing or invalid, because invalid ones must be ignored. */
export function traceIdOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : HEADER.exec(header)?.[1];
}
