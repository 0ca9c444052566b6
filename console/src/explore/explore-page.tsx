// This file is the explorer: a form and a text that edit the same request, and its response.
import '@mantine/core/styles/Table.css';
import { Skeleton, Title } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { RequestFailed } from '../api/request-failed.ts';
import { usePageTitle } from '../app/page-title.ts';
import { ODATA_ROOT } from '../app/place.ts';
import { useText } from '../i18n/text.tsx';
import { useService } from '../model/use-model.tsx';
import { locateError } from '../query/locate-error.ts';
import { parseRequest, printRequest, type RequestParts } from '../query/request-text.ts';
import { ConfirmWrite } from './confirm-write.tsx';
import classes from './explore.module.css';
import { remember } from './history.ts';
import { RequestBar } from './request-bar.tsx';
import { RequestForm } from './request-form.tsx';
import { ResultPanel } from './result-panel.tsx';
import { type Result, runRequest } from './run-request.ts';

const RequestEditor = lazy(async () => ({
  default: (await import('./request-editor.tsx')).RequestEditor,
}));

const ROUTE = '/explore';

export function ExplorePage() {
  const text = useText();
  usePageTitle(text('app.explorer'));
  const [request, setRequest] = useRequestText();
  const parts = useMemo(() => parseRequest(request, ODATA_ROOT), [request]);
  const { result, isRunning, run, stop, asked, confirm, cancel } = useRun();
  const runNow = () => run(parts, request);
  const choose = (chosen: string) => {
    setRequest(chosen);
    const next = parseRequest(chosen, ODATA_ROOT);
    if (next.method === 'GET') run(next, chosen);
  };
  return (
    <div className={classes.page}>
      <Title order={1} size="h3" className="visually-hidden">
        {text('app.explorer')}
      </Title>
      <form aria-label={text('explore.form')} onSubmit={(event) => event.preventDefault()}>
        <RequestForm parts={parts} onChange={(next) => setRequest(printRequest(next))} />
      </form>
      <div className={classes.main}>
        <Suspense fallback={<Skeleton h={110} />}>
          <RequestEditor
            value={request}
            onChange={setRequest}
            onRun={runNow}
            error={errorIn(request, result)}
          />
        </Suspense>
        <RequestBar
          parts={parts}
          isRunning={isRunning}
          onRun={runNow}
          onStop={stop}
          onChoose={choose}
        />
        {result !== undefined && (
          <ResultPanel
            result={result}
            onNext={(link) => choose(printRequest(parseRequest(link, ODATA_ROOT)))}
          />
        )}
      </div>
      {asked !== undefined && <ConfirmWrite parts={asked} onCancel={cancel} onConfirm={confirm} />}
    </div>
  );
}

/** The text of the request: from the URL, or the first set that the account sees. */
function useRequestText() {
  const { listed } = useService();
  const { request } = useSearch({ strict: false }) as { readonly request?: string };
  const [text, setText] = useState(request ?? `${listed[0] ?? ''}\n  ?$top=20`);
  const shown = useRef(request);
  useEffect(() => {
    // Back and forward change the URL.
    if (request !== undefined && request !== shown.current) setText(request);
    shown.current = request;
  }, [request]);
  return [text, setText] as const;
}

/** The mark stays at the text that was sent. */
function errorIn(request: string, result: Result | undefined) {
  const error = result?.outcome.kind === 'failed' ? result.outcome.error : undefined;
  if (!(error instanceof RequestFailed)) return undefined;
  return locateError(request, error.message, error.target);
}

/** Runs requests, one at a time. Those that write are asked about first, and are never part of the URL. */
function useRun() {
  const navigate = useNavigate();
  const [result, setResult] = useState<Result>();
  const [asked, setAsked] = useState<RequestParts>();
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const send = useCallback(async (parts: RequestParts) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setRunning(true);
    const next = await runRequest(parts, controller.signal).catch(() => undefined);
    if (running.current !== controller) return;
    setRunning(false);
    if (next !== undefined) setResult(next);
  }, []);
  const run = (parts: RequestParts, text: string) => {
    remember(text);
    if (parts.method !== 'GET') return setAsked(parts);
    void navigate({ to: ROUTE, search: { request: text } });
    void send(parts);
  };
  const confirm = () => {
    if (asked !== undefined) void send(asked);
    setAsked(undefined);
  };
  return {
    result,
    isRunning,
    run,
    stop: () => running.current?.abort(),
    asked,
    confirm,
    cancel: () => setAsked(undefined),
  };
}
