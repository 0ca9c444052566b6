// This file starts outgoing mail. One process of an installation does it; should two do so for a moment, the stored position and the leases
// decide.
import { servicePrincipal } from '../../access/principal.ts';
import { authDatabase } from '../../auth/database.ts';
import { ruleCheck } from '../../bind/model/policy-condition.ts';
import { sender } from '../../service/internal-requests.ts';
import type { Service } from '../../service/service.ts';
import { startJob } from '../../store/background-job.ts';
import { mailSigner, type Sign, withoutTag } from '../message-tokens.ts';
import { ChangeFollower, forgetPosition } from './follow-changes.ts';
import { QueueSender } from './send-queue.ts';
import { deliverySeconds, type SmtpSettings, smtpSender } from './smtp.ts';

interface OutgoingSettings extends SmtpSettings {
  readonly recipientRole?: string | undefined;
  readonly connections: number;
}

interface MailLimits {
  readonly hourlyMails: number;
  readonly dailyMails: number;
  /** Final failures after which an address is blocked. */
  readonly mailFailures: number;
}

interface MailTiming {
  /** Milliseconds between searches for changes and for messages to send. */
  readonly interval?: number;
  /** Resolves when everything has been performed that became due while the service did not run. */
  readonly caughtUp?: Promise<void>;
}

/** How the service sends mail. */
export interface OutgoingMail {
  /** Undefined if the service sends no mail. */
  readonly smtp?: OutgoingSettings | undefined;
  readonly ownAddresses: readonly string[];
  readonly limits: MailLimits;
}

/** Milliseconds between searches for changes and for messages to send. */
const INTERVAL = 1000;
/** Milliseconds after which rules apply, even if what is due has not been performed. */
const CATCH_UP_LIMIT = 600_000;
/** Seconds that a lease is longer than an attempt. */
const LEASE_RESERVE = 5;

/** The account that reads changes, conditions and recipients. */
const MAIL = servicePrincipal('docket mail');

/** Queues and sends messages, now and at intervals. Returns the function that stops this. Errors are observed. */
export function startOutgoingMail(
  service: Service,
  mail: OutgoingMail,
  { interval = INTERVAL, caughtUp = Promise.resolve() }: MailTiming = {},
): () => Promise<void> {
  const { smtp } = mail;
  if (smtp === undefined) {
    const forgetting = forgetPosition(service).catch((error: unknown) =>
      service.observe({ kind: 'failure', id: 'outgoing mail', error }),
    );
    return async () => await forgetting;
  }
  const signer = mailSigner(authDatabase(service.database), service.world);
  const follower = followerOf(service, mail, smtp, signer, untilCaughtUp(service, caughtUp));
  const queue = new QueueSender(service, {
    deliver: smtpSender(smtp),
    signer,
    connections: smtp.connections,
    failureLimit: failureLimit(mail),
    leaseSeconds: deliverySeconds(smtp) + LEASE_RESERVE,
  });
  const stops = [
    startJob('mail rules', interval, service.observe, (signal) => follower.run(signal)),
    startJob('outgoing mail', interval, service.observe, (signal) => queue.run(signal)),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Final failures after which an address is blocked; undefined if another address gets its messages, for tests. */
export function failureLimit({
  smtp,
  limits,
}: Pick<OutgoingMail, 'smtp' | 'limits'>): number | undefined {
  return smtp?.testAddress === undefined ? limits.mailFailures : undefined;
}

function followerOf(
  service: Service,
  { ownAddresses, limits }: OutgoingMail,
  smtp: OutgoingSettings,
  signer: () => Promise<Sign>,
  isCaughtUp: () => boolean,
): ChangeFollower {
  const { from, bounceAddress, recipientRole } = smtp;
  const own = [from, ...(bounceAddress === undefined ? [] : [bounceAddress]), ...ownAddresses];
  const send = sender(service, MAIL, { id: 'mail', address: '' });
  return new ChangeFollower({
    service,
    send,
    check: ruleCheck({ model: service.model, rules: 'odata', limits: service.limits }),
    composer: {
      service,
      send,
      recipientRole,
      from,
      ownAddresses: new Set(own.map(withoutTag)),
      limits: { hourly: limits.hourlyMails, daily: limits.dailyMails },
    },
    signer,
    isCaughtUp,
  });
}

function untilCaughtUp({ world }: Service, caughtUp: Promise<void>): () => boolean {
  const end = world.elapsed() + CATCH_UP_LIMIT;
  let isDone = false;
  void caughtUp.then(() => {
    isDone = true;
  });
  return () => isDone || world.elapsed() > end;
}
