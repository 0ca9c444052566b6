// This file makes spans of OpenTelemetry. Without an SDK, which the operator loads by `node --import`, the API records nothing. Spans contain no
// values of clients: routes instead of URLs, statements with parameters, and types of errors instead of their messages.
import {
  type Context,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { Fault } from '../base/fault.ts';
import type { EndSpan, SpanAttributes, Spans } from '../base/spans.ts';
import type { MaybePromise } from '../base/value-or-promise.ts';

const INVALID_TRACE = /^0*$/;

/** @param version the version of the program, as that of the tracer */
export function makeSpans(version: string): Spans {
  const tracer = trace.getTracer('docket', version);
  return {
    request: ({ method, headers, isPart }, work) => {
      const active = context.active();
      const parent = isPart ? active : propagation.extract(active, headers);
      const kind = isPart ? SpanKind.INTERNAL : SpanKind.SERVER;
      const attributes = { 'http.request.method': method };
      const span = tracer.startSpan(method, { kind, attributes }, parent);
      const { traceId } = span.spanContext();
      const recorded = {
        trace: INVALID_TRACE.test(traceId) ? undefined : traceId,
        describe: (name: string, more: SpanAttributes) => {
          span.updateName(name);
          span.setAttributes(more);
        },
        fail: (type: string) => fail(span, type),
      };
      return runIn(span, parent, () => work(recorded));
    },
    within: (name, attributes, work) => {
      const span = tracer.startSpan(name, { attributes });
      return runIn(span, context.active(), work);
    },
    starter: () => {
      const parent = context.active();
      return (name, attributes): EndSpan => {
        const span = tracer.startSpan(name, { attributes }, parent);
        return (error) => {
          if (error !== undefined) fail(span, error.type);
          span.end();
        };
      };
    },
  };
}

/** Runs work whose own spans are children of the span, and ends the span with it. */
function runIn<Result>(
  span: Span,
  parent: Context,
  work: () => MaybePromise<Result>,
): MaybePromise<Result> {
  const failed = (error: unknown): never => {
    fail(span, error instanceof Fault ? error.code : 'internal');
    span.end();
    throw error;
  };
  const done = (result: Result) => {
    span.end();
    return result;
  };
  let result: MaybePromise<Result>;
  try {
    result = context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    return failed(error);
  }
  return result instanceof Promise ? result.then(done, failed) : done(result);
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
