// This file is a client of live streams that knows only the format of server-sent events.

/** A message of the stream. */
interface Message {
  /** `message` where the stream names no other. */
  readonly event: string;
  readonly id: string | undefined;
  /** The parsed data. Deliberately loose: tests state what they expect of it. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly data: any;
}

export interface LiveStream {
  readonly response: Response;
  readonly messages: readonly Message[];
  /** The events of changes: `created Persons(7)`. */
  readonly told: () => readonly string[];
  /** The id of the last message, from which the client continues. */
  readonly lastId: () => string | undefined;
  readonly retry: () => number | undefined;
  /** Whether the service has ended the stream, or broken the connection. */
  readonly isEnded: () => boolean;
  readonly close: () => void;
}

/** Opens a stream and collects its messages. */
export async function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<LiveStream> {
  const stop = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  const messages: Message[] = [];
  let retry: number | undefined;
  let isEnded = false;
  const collect = async () => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = fieldsOf(block);
        if (fields.has('retry')) retry = Number(fields.get('retry'));
        const data = fields.get('data');
        if (data !== undefined)
          messages.push({
            event: fields.get('event') ?? 'message',
            id: fields.get('id'),
            data: JSON.parse(data),
          });
      }
    }
  };
  if (response.status === 200)
    void collect()
      .catch(() => undefined)
      .finally(() => {
        isEnded = true;
      });
  return {
    response,
    messages,
    told: () =>
      messages.flatMap(({ event, data }) =>
        event === 'message' ? [`${data.type.split('.')[2]} ${data.subject}`] : [],
      ),
    lastId: () => messages.findLast(({ id }) => id !== undefined)?.id,
    retry: () => retry,
    isEnded: () => isEnded,
    close: () => stop.abort(),
  };
}

function fieldsOf(block: string): ReadonlyMap<string, string> {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trimStart()] as const;
    }),
  );
}
