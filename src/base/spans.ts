// This file defines Spans, by which modules state what belongs to the trace of a request. observe/ implements it with OpenTelemetry.
import type { MaybePromise } from './value-or-promise.ts';

/** Without values of clients. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Ends a span, which has failed if there is an error. */
export type EndSpan = (error?: { readonly type: string }) => void;

export interface RequestSpan {
  /** The trace, in hexadecimal digits; undefined if nothing records traces. */
  readonly trace: string | undefined;
  readonly describe: (name: string, attributes: SpanAttributes) => void;
  /** Marks the request as failed because of the service. */
  readonly fail: (type: string) => void;
}

export interface Spans {
  /** Runs a request in a span, which continues the trace of its headers. Requests in batches continue that of the batch. */
  readonly request: <Result>(
    head: {
      readonly method: string;
      readonly headers: Readonly<Record<string, string | undefined>>;
      readonly isPart: boolean;
    },
    work: (span: RequestSpan) => MaybePromise<Result>,
  ) => MaybePromise<Result>;
  /** Runs a part of the current request in a span. */
  readonly within: <Result>(
    name: string,
    attributes: SpanAttributes,
    work: () => MaybePromise<Result>,
  ) => MaybePromise<Result>;
  /** Returns a function that begins a span in the current request, wherever it is called: writes run in the queue of the writer. */
  readonly starter: () => (name: string, attributes: SpanAttributes) => EndSpan;
}
