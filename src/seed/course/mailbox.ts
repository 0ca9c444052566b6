// This file plans the demo e-mails: which of them became service requests, which are replies, and which belong to no request.

/** Statuses of e-mails. */
export const MAIL = {
  new: 212001,
  converted: 212002,
  linked: 212003,
  rejected: 212004,
  error: 212005,
};

/** Of five e-mails, two become requests, each followed by a reply. */
const GROUP = 5;

/** @param count the number of e-mails, which is at most that of the requests */
export function mailStatus(index: number, count: number, requests: number): number {
  const place = index % GROUP;
  const isWhole = index - place + GROUP <= count;
  if (requests > 0 && isWhole && place < GROUP - 1)
    return place % 2 === 0 ? MAIL.converted : MAIL.linked;
  if (index < count * 0.8) return MAIL.rejected;
  return index % 2 === 0 ? MAIL.new : MAIL.error;
}

/** The index of the request that an e-mail became, or replies to. */
function requestOfMail(index: number, count: number, requests: number): number {
  const first = index - ((index % GROUP) % 2);
  return Math.min(requests - 1, Math.floor(((first + 0.5) * requests) / count));
}

/** The indexes of the e-mails that became requests, by the index of the request. */
export function convertedMails(count: number, requests: number): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (let index = 0; index < count; index++)
    if (mailStatus(index, count, requests) === MAIL.converted)
      found.set(requestOfMail(index, count, requests), index);
  return found;
}

/** The number of lines in the histories of e-mails, and that of the replies in those of requests. */
export function mailLines(
  count: number,
  requests: number,
): { readonly own: number; readonly replies: number } {
  let [own, replies] = [0, 0];
  for (let index = 0; index < count; index++) {
    const status = mailStatus(index, count, requests);
    if (status !== MAIL.new && status !== MAIL.error) own += 2;
    if (status === MAIL.linked) replies++;
  }
  return { own, replies };
}
