// Recognizes the tokens of issuers by their form, without loading the code that verifies them.

/** Whether a token has the form of a signed JWT. Tokens of the service itself contain no dot. */
export function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}
