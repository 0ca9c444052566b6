// Reads the configured certificate and key, and reloads them when the files change or on SIGHUP. Open connections continue, and new ones
// use the new certificate. An unusable pair is reported, and the previous one stays in use.
import { Fault } from '../base/fault.ts';
import type { Observe } from '../base/observation.ts';
import type { App } from '../http/app.ts';
import { type KeyPair, requireFitting } from '../http/tls.ts';
import type { Config } from './config/config.ts';
import { readText } from './config/read-file.ts';

type TlsFiles = NonNullable<Config['tls']>;

/** Milliseconds between two checks of the files. */
const INTERVAL = 1000;

/** The pair, if HTTPS is configured. Throws: cli.file, cli.tls. */
export function readPair({ tls }: Config): KeyPair | undefined {
  if (tls === undefined) return undefined;
  const pair = loadPair(tls);
  try {
    requireFitting(pair);
    return pair;
  } catch (error) {
    throw unusablePair(tls, error);
  }
}

/**
 * Passes the pair to the application whenever the files change. Returns a function that stops watching.
 * @param known the pair that the application already uses
 */
export function watchPair(
  { tls }: Config,
  known: KeyPair | undefined,
  app: Pick<App, 'renew'>,
  observe: Observe,
): () => void {
  if (tls === undefined) return () => undefined;
  let usedText = textOf(known);
  let unusableText = '';
  let reportedText = '';
  const check = () => {
    const loaded = tryLoadPair(tls);
    const text = textOf(loaded.pair);
    if (text === usedText) return;
    const error = loaded.pair === undefined ? loaded.error : tryRenew(app, loaded.pair);
    if (error === undefined) {
      usedText = text;
      observe({ kind: 'certificate', file: tls.certificate });
    } else if (unusableText === text && reportedText !== text) {
      // Certificate and key are written one after the other, so a problem is reported only if it persists until the next check.
      reportedText = text;
      observe({ kind: 'failure', id: 'tls', error: unusablePair(tls, error) });
    }
    unusableText = error === undefined ? '' : text;
  };
  const timer = setInterval(check, INTERVAL).unref();
  process.on('SIGHUP', check);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', check);
  };
}

function tryLoadPair(tls: TlsFiles): { readonly pair?: KeyPair; readonly error?: unknown } {
  try {
    return { pair: loadPair(tls) };
  } catch (error) {
    return { error };
  }
}

function tryRenew(app: Pick<App, 'renew'>, pair: KeyPair): unknown {
  try {
    app.renew(pair);
    return undefined;
  } catch (error) {
    return error;
  }
}

function textOf(pair: KeyPair | undefined): string {
  return pair === undefined ? 'unreadable' : `${pair.certificate}\n${pair.key}`;
}

function loadPair({ certificate, key }: TlsFiles): KeyPair {
  return { certificate: readText(certificate), key: readText(key) };
}

function unusablePair({ certificate, key }: TlsFiles, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('cli.tls', { certificate, key, reason });
}
