/** Shorter texts are no secrets, and stand in too many words. */
const SHORTEST = 8;

/**
 * A text of JSON without the credential, and without a secret that the body held: a server that
 * repeats what it was sent must not bring it into an error. Only the form that `JSON.stringify`
 * gives is looked through.
 */
export function redact(
  json: string,
  credential: string | undefined,
  body: string | undefined,
): string {
  const [, secret] = /"secret":"((?:[^"\\]|\\.)+)"/.exec(body ?? '') ?? [];
  const secrets = [credential && JSON.stringify(credential).slice(1, -1), secret];
  return secrets.reduce<string>(
    (text, one) => (one && one.length >= SHORTEST ? text.replaceAll(one, '[secret]') : text),
    json,
  );
}
