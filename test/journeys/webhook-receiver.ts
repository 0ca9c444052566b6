// This file receives webhooks in tests, as a receiver that verifies signatures by the reference library.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message as it arrived. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly path: string;
  /** The event, or the events of a batch; undefined for a callback. Deliberately loose: tests state what they expect of it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly json: any;
}

export interface WebhookReceiver {
  /** `http://127.0.0.1:40123/hook`. */
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedWebhook[];
  /** Answers a message; 204 by default. */
  answer: (message: ReceivedWebhook, response: ServerResponse) => void;
  readonly close: () => Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const { headers, method = '', url: path = '' } = request;
      const json = text === '' ? undefined : JSON.parse(text);
      const message = { method, headers, text, path, json };
      received.push(message);
      receiver.answer(message, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answer: (_, response) => void response.writeHead(204).end(),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Whether the reference library accepts the signature of the message. */
export function isSigned({ headers, text }: ReceivedWebhook, secret: string): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
