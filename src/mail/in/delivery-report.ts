// This file reads reports about the delivery of messages that this service has sent. RFC 3464; RFC 6533 for addresses outside ASCII; RFC 8098 for
// reports about reading, which are nobody's concern.
import type { DeliveryAction, DeliveryReport, ReportedDelivery } from '../sent-mail.ts';
import type { MailFile, Message } from './message.ts';

const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];
const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
/** Fields of more recipients, and what follows so many bytes, are not read. */
const MOST_RECIPIENTS = 100;
const MOST_BYTES = 262_144;

/** Whether the message reports that somebody has, or has not, read one. */
export function isReadReceipt({ headers, files }: Pick<Message, 'headers' | 'files'>): boolean {
  return (
    reportType(headers) === 'disposition-notification' ||
    (reportType(headers) !== undefined &&
      files.some(({ mediaType }) =>
        /^message\/(global-)?disposition-notification$/.test(mediaType),
      ))
  );
}

/** What the message reports about deliveries; undefined if it is no such report. */
export function deliveryReportOf(
  { headers, files, reported }: Pick<Message, 'headers' | 'files' | 'reported'>,
  { tokens, receivedAt }: Pick<DeliveryReport, 'tokens' | 'receivedAt'>,
): DeliveryReport | undefined {
  if (reportType(headers) === undefined) return undefined;
  const deliveries = files
    .filter(({ mediaType }) => STATUS_TYPES.includes(mediaType))
    .flatMap(deliveriesIn);
  if (deliveries.length === 0) return undefined;
  return { deliveries, messageIds: reported.messageIds, tokens, receivedAt };
}

/** The parameter report-type, or '' if a report has none; undefined if the message is no report. RFC 6522. */
function reportType(headers: Message['headers']): string | undefined {
  const type = headers.get('content-type')?.[0] ?? '';
  if (!/^\s*multipart\/report\b/i.test(type)) return undefined;
  return (/;\s*report-type\s*=\s*"?([\w-]+)/i.exec(type)?.[1] ?? '').toLowerCase();
}

type Fields = ReadonlyMap<string, string>;

/** The recipients in a part: groups of fields, the first of which is about the message. RFC 3464, Format of a Delivery Status Notification. */
function deliveriesIn({ bytes }: MailFile): readonly ReportedDelivery[] {
  const groups = Buffer.from(bytes.subarray(0, MOST_BYTES))
    .toString('utf8')
    .split(/(?:\r?\n[ \t]*){2,}/)
    .slice(0, MOST_RECIPIENTS + 1)
    .map(fieldsIn);
  return groups.filter((fields) => fields.has('final-recipient')).flatMap(deliveryOf);
}

function fieldsIn(group: string): Fields {
  const lines = group.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  return new Map(
    lines.flatMap((line) => {
      const [, name, content] = /^([\w-]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? [];
      return name === undefined || content === undefined
        ? []
        : [[name.toLowerCase(), content.trim()] as const];
    }),
  );
}

/** Some mail servers leave out the action or the status: each follows from the other, or from the reply of the other server. */
function deliveryOf(fields: Fields): readonly ReportedDelivery[] {
  const diagnostic = fields.get('diagnostic-code')?.replace(/^[\w-]+[ \t]*;[ \t]*/, '');
  const status = statusIn(fields.get('status')) ?? statusIn(diagnostic);
  const action = actionIn(fields.get('action')) ?? actionOf(status);
  return action === undefined ? [] : [{ action, status, diagnostic }];
}

function statusIn(text = ''): string | undefined {
  return /(?:^|\s)([245]\.\d{1,3}\.\d{1,3})\b/.exec(text)?.[1];
}

function actionIn(text = ''): DeliveryAction | undefined {
  const word = /^[a-z]+/i.exec(text)?.[0].toLowerCase();
  return ACTIONS.find((one) => one === word);
}

/** RFC 3463: 4.x.x may succeed later, 5.x.x will not. */
function actionOf(status: string | undefined): DeliveryAction | undefined {
  const actions = { '2': 'delivered', '4': 'delayed', '5': 'failed' } as const;
  return actions[(status?.[0] ?? '') as keyof typeof actions];
}
