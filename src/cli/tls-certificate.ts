// This file reads the certificate and the key that the configuration names, and reads them again when the files change or at SIGHUP:
// connections go on, new ones get the new certificate. A pair that does not fit is told, and the one before stays.
import { Fault } from '../base/fault.ts';
import type { See } from '../base/observation.ts';
import type { App } from '../http/app.ts';
import { type KeyPair, requireFitting } from '../http/tls.ts';
import type { Config } from './config/config.ts';
import { readBytes } from './config/read-file.ts';

type TlsFiles = NonNullable<Config['tls']>;

/** Milliseconds between two looks at the files. */
const INTERVAL = 1000;

/** The pair, if there is to be HTTPS. Faults cli.file, cli.tls. */
export function readPair({ tls }: Config): KeyPair | undefined {
  if (tls === undefined) return undefined;
  const pair = pairIn(tls);
  try {
    requireFitting(pair);
    return pair;
  } catch (error) {
    throw unfit(tls, error);
  }
}

/**
 * Gives the application what the files hold, whenever that is something else than before. Gives what ends that.
 * @param known what the application has already
 */
export function watchPair(
  { tls }: Config,
  known: KeyPair | undefined,
  app: Pick<App, 'renew'>,
  see: See,
): () => void {
  if (tls === undefined) return () => undefined;
  let used = textOf(known);
  let unusable = '';
  let told = '';
  const look = () => {
    const found = tryPair(tls);
    const text = textOf(found.pair);
    if (text === used) return;
    const error = found.pair === undefined ? found.error : renewing(app, found.pair);
    if (error === undefined) {
      used = text;
      see({ kind: 'certificate', file: tls.certificate });
    } else if (unusable === text && told !== text) {
      // Certificate and key are written one after the other: only what is still so at the next look is worth telling.
      told = text;
      see({ kind: 'failure', id: 'tls', error: unfit(tls, error) });
    }
    unusable = error === undefined ? '' : text;
  };
  const timer = setInterval(look, INTERVAL).unref();
  process.on('SIGHUP', look);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', look);
  };
}

function tryPair(tls: TlsFiles): { readonly pair?: KeyPair; readonly error?: unknown } {
  try {
    return { pair: pairIn(tls) };
  } catch (error) {
    return { error };
  }
}

function renewing(app: Pick<App, 'renew'>, pair: KeyPair): unknown {
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

function pairIn({ certificate, key }: TlsFiles): KeyPair {
  const text = (file: string) => Buffer.from(readBytes(file)).toString('utf8');
  return { certificate: text(certificate), key: text(key) };
}

function unfit({ certificate, key }: TlsFiles, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('cli.tls', { certificate, key, reason });
}
