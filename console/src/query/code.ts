// This file writes a request as a program or command. The token is a placeholder: nobody copies one by mistake.

export const LANGUAGES_OF_CODE = ['curl', 'javascript', 'python', 'powerquery'] as const;
export type CodeLanguage = (typeof LANGUAGES_OF_CODE)[number];

export interface SentRequest {
  readonly method: string;
  /** With scheme and host. */
  readonly url: string;
  /** JSON, or empty. */
  readonly body: string;
}

const TOKEN = 'YOUR_TOKEN';

/** The code that sends a request; undefined where the language has no way to send it. */
export function codeFor(language: CodeLanguage, request: SentRequest): string | undefined {
  switch (language) {
    case 'curl':
      return curl(request);
    case 'javascript':
      return javaScript(request);
    case 'python':
      return python(request);
    case 'powerquery':
      return powerQuery(request);
  }
}

const hasBody = ({ body }: SentRequest): boolean => body.trim() !== '';

/** A word of POSIX shells. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(request: SentRequest): string {
  const { method, url, body } = request;
  const parts = [
    `curl ${method === 'GET' ? '' : `--request ${method} `}${shellWord(url)}`,
    `--header 'Authorization: Bearer ${TOKEN}'`,
    `--header 'Accept: application/json'`,
    ...(hasBody(request)
      ? [`--header 'Content-Type: application/json'`, `--data-raw ${shellWord(body)}`]
      : []),
  ];
  return parts.join(' \\\n  ');
}

/** JSON texts are literals of JavaScript. */
const javaScriptText = (text: string): string => JSON.stringify(text);

function javaScript(request: SentRequest): string {
  const { method, url, body } = request;
  const headers = [
    `    Authorization: 'Bearer ${TOKEN}',`,
    `    Accept: 'application/json',`,
    ...(hasBody(request) ? [`    'Content-Type': 'application/json',`] : []),
  ];
  return [
    `const response = await fetch(${javaScriptText(url)}, {`,
    `  method: '${method}',`,
    '  headers: {',
    ...headers,
    '  },',
    ...(hasBody(request) ? [`  body: ${javaScriptText(body)},`] : []),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    'console.log(response.status === 204 ? undefined : await response.json());',
  ].join('\n');
}

/** JSON texts are literals of Python, too: both know `\n`, `\"` and `\uXXXX`. */
const pythonText = (text: string): string => JSON.stringify(text);

function python(request: SentRequest): string {
  const { method, url, body } = request;
  return [
    'import json',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    ${pythonText(url)},`,
    `    method="${method}",`,
    '    headers={',
    `        "Authorization": "Bearer ${TOKEN}",`,
    '        "Accept": "application/json",',
    ...(hasBody(request) ? ['        "Content-Type": "application/json",'] : []),
    '    },',
    ...(hasBody(request) ? [`    data=${pythonText(body)}.encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '    content = response.read()',
    '    print(json.loads(content) if content else None)',
  ].join('\n');
}

/** A text literal of M: quotes are doubled, and `#(` would start an escape sequence. */
function mText(text: string): string {
  const escaped = text
    .replaceAll('#(', '#(#)(')
    .replaceAll('"', '""')
    .replaceAll('\r', '#(cr)')
    .replaceAll('\n', '#(lf)')
    .replaceAll('\t', '#(tab)');
  return `"${escaped}"`;
}

/** Power Query reads; it sends content by POST only, and only without a session. */
function powerQuery({ method, url }: SentRequest): string | undefined {
  if (method !== 'GET') return undefined;
  return [
    'let',
    `  Source = Json.Document(Web.Contents(${mText(url)}, [`,
    `    Headers = [Authorization = "Bearer ${TOKEN}", Accept = "application/json"]`,
    '  ])),',
    '  Records = if Record.HasFields(Source, "value") and Source[value] is list',
    '    then Table.FromRecords(Source[value], null, MissingField.UseNull)',
    '    else Source',
    'in',
    '  Records',
  ].join('\n');
}
