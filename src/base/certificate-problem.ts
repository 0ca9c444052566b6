// This file describes why the certificate of another server is rejected, so that nobody searches for a mistake in the host or the port.

/** Texts of OpenSSL and Node. Packages replace the codes of errors, but keep the texts. */
const UNTRUSTED =
  /self[- ]signed certificate|unable to (?:verify the first|get (?:local )?issuer) certificate/i;
const EXPIRED = /certificate has expired/i;
const NOT_YET_VALID = /certificate is not yet valid/i;
const OTHER_HOST = /does not match certificate's altnames: ?(.*)/is;

/**
 * The reason, with the remedy: `its certificate has expired: renew it on that server`. Undefined for an error of another kind.
 * @param trust where authorities are named
 */
export function certificateProblem(
  error: unknown,
  trust = 'the variable NODE_EXTRA_CA_CERTS',
): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const problem = problemIn(at.message, trust);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemIn(text: string, trust: string): string | undefined {
  const [untrusted] = UNTRUSTED.exec(text) ?? [];
  if (untrusted !== undefined)
    return `its certificate is not trusted (${untrusted}). To trust its authority, name a PEM file in ${trust}`;
  if (EXPIRED.test(text))
    return 'its certificate has expired. Renew the certificate of that server';
  if (NOT_YET_VALID.test(text))
    return 'its certificate is not valid yet. Compare the clocks of both machines';
  const [, names] = OTHER_HOST.exec(text) ?? [];
  if (names === undefined) return undefined;
  return `its certificate is for another host (${names.replace(/\.$/, '')}). Use a host name of the certificate, or replace it`;
}
