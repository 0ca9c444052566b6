// This file answers for incoming mail which messages were sent, and records reports about their delivery in the queue.
import { type AuthDatabase, authDatabase } from '../../auth/database.ts';
import { MAIL_TABLES, OUTGOING_MESSAGE_TYPE } from '../../edm/mail-sets.ts';
import type { Service } from '../../service/service.ts';
import { type Fragment, list, name, sql, tableName, value } from '../../sql/fragment.ts';
import { VERSION_COLUMN } from '../../sql/schema/layout.ts';
import type { Row, Work } from '../../store/database.ts';
import { instant } from '../../store/stored-values.ts';
import { firstRow, query } from '../../store/work.ts';
import { entityOfRoot, mailSigner, messageOfToken, type Sign } from '../message-tokens.ts';
import type { DeliveryReport, ReportedDelivery, SentMail } from '../sent-mail.ts';
import { entitiesOf } from './queue.ts';
import { countFailure, isAboutAddress } from './undeliverable-addresses.ts';

const TABLE = tableName(MAIL_TABLES[OUTGOING_MESSAGE_TYPE]);
const DIAGNOSTIC_LENGTH = 2000;
const STATUS_LENGTH = 16;

/** @param failureLimit final failures after which an address is blocked; undefined in a test mode, in which others get the messages */
export function sentMail(
  { database, world }: Pick<Service, 'database' | 'world'>,
  failureLimit: number | undefined,
): SentMail {
  const own = authDatabase(database);
  const signer = mailSigner(own, world);
  return {
    entitiesOf: async (ids) => {
      const sign = await signer();
      const roots = ids.map((id) => [id, entityOfRoot(sign, id)] as const);
      const known = roots.filter(
        (pair): pair is readonly [string, string] => pair[1] !== undefined,
      );
      return new Map([...known, ...(await entitiesOf(own, ids))]);
    },
    entityOf: async (tokens) => await entityOf(own, messagesOf(await signer(), tokens)),
    record: async (report) => {
      const uids = messagesOf(await signer(), report.tokens);
      await own.write(() => recordReport(uids, report, failureLimit));
    },
  };
}

function messagesOf(sign: Sign, tokens: readonly string[]): readonly bigint[] {
  return tokens
    .map((token) => messageOfToken(sign, token))
    .filter((uid): uid is bigint => uid !== undefined);
}

async function entityOf(
  { read }: AuthDatabase,
  uids: readonly bigint[],
): Promise<string | undefined> {
  if (uids.length === 0) return undefined;
  const [row] = await read(sql`SELECT "Entity" FROM ${TABLE} WHERE ${isOneOf('Uid', uids)}`);
  return row === undefined ? undefined : String(row[0]);
}

/** A later report replaces an earlier one, but nothing replaces a failure. */
function* recordReport(
  uids: readonly bigint[],
  { messageIds, deliveries, receivedAt }: DeliveryReport,
  failureLimit: number | undefined,
): Work<void> {
  const worst = worstOf(deliveries);
  const row = (yield* findMessage('Uid', uids)) ?? (yield* findMessage('MessageId', messageIds));
  if (worst === undefined || row === undefined) return;
  const [uid, address, delivery] = row;
  if (delivery === 'failed') return;
  const { action, status, diagnostic } = worst;
  const isFinal = action === 'failed';
  yield query(
    sql`UPDATE ${TABLE} SET ${name(VERSION_COLUMN)} = ${name(VERSION_COLUMN)} + 1, "Delivery" = ${value(action)},
      "DeliveryStatus" = ${value(status?.slice(0, STATUS_LENGTH) ?? null)},
      "DeliveryDiagnostic" = ${value(diagnostic?.slice(0, DIAGNOSTIC_LENGTH) ?? null)},
      "DeliveryReported" = ${instant(receivedAt)},
      "State" = CASE WHEN "State" = 'sent' AND ${value(isFinal)} THEN 'failed' ELSE "State" END WHERE "Uid" = ${value(uid ?? null)}`,
  );
  if (isFinal && failureLimit !== undefined && isAboutAddress(status))
    yield* countFailure(String(address), { status, diagnostic, at: receivedAt }, failureLimit);
}

function* findMessage(
  column: 'Uid' | 'MessageId',
  values: readonly (bigint | string)[],
): Work<Row | undefined> {
  if (values.length === 0) return undefined;
  return yield* firstRow(
    sql`SELECT "Uid", "Address", "Delivery" FROM ${TABLE} WHERE ${isOneOf(column, values)} ORDER BY "Uid" LIMIT 1`,
  );
}

function isOneOf(column: string, values: readonly (bigint | string)[]): Fragment {
  return sql`${name(column)} IN (${list(values.map((one) => value(one)))})`;
}

/** What matters most if a message was passed on to several recipients. */
function worstOf(deliveries: readonly ReportedDelivery[]): ReportedDelivery | undefined {
  const rank = ({ action }: ReportedDelivery) => ['failed', 'delayed'].indexOf(action);
  return (
    deliveries.find((one) => rank(one) === 0) ??
    deliveries.find((one) => rank(one) === 1) ??
    deliveries[0]
  );
}
