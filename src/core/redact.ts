/** Shorter texts are no secrets, and stand in too many words. */
const SHORTEST = 8;

/**
 * Cuts the credential, and a secret that the body held, out of a text of JSON: a server that repeats what it was sent must
 * not bring it into an error. Only the form that `JSON.stringify` gives is looked through.
 */
export function redactorOf(credential: string | undefined, body: string | undefined): (json: string) => string {
  const [, secret] = /"secret":"((?:[^"\\]|\\.)+)"/.exec(body ?? '') ?? [];
  const secrets = [credential && JSON.stringify(credential).slice(1, -1), secret];
  return (json) => secrets.reduce<string>((text, one) => (one && one.length >= SHORTEST ? text.replaceAll(one, '[secret]') : text), json);
}
