// This file reads why a sign-in at an issuer has failed, which the service names in the URL to which it returns.

const PARAMETER = 'sign-in';

/** What the service may name; anything else in the URL is ignored. */
const OBSTACLES = [
  'issuer',
  'restart',
  'cancelled',
  'unavailable',
  'rejected',
  'account',
  'insecure',
  'busy',
] as const;

export type Obstacle = (typeof OBSTACLES)[number];

/** Read once when the page opens, and taken out of the URL, so that a reload or a copied link does not repeat it. */
const found = take();

function take(): Obstacle | undefined {
  const url = new URL(location.href);
  const named = url.searchParams.get(PARAMETER);
  const obstacle = OBSTACLES.find((one) => one === named);
  if (obstacle === undefined) return undefined;
  url.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', url);
  return obstacle;
}

/** Why the sign-in from which this page comes has failed; undefined if it has not. */
export const signInObstacle = (): Obstacle | undefined => found;
