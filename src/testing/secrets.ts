/** Minimum length of a secret. Shorter strings would also match parts of ordinary words. */
const SHORTEST = 8;
/** Placeholder for removed secrets. */
export const CUT = '[secret]';

/**
 * Matches secret fields that the service, its login server or a relay uses. Also matches if the
 * text is truncated in the middle of a secret.
 */
const IN_JSON =
  /("(?:(?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|authorization|pre_?image)"\s*:\s*")((?:[^"\\]|\\.)*)("|$)/gi;
const IN_FORM =
  /(^|[?&])((?:order_?|client_?|webhook_?)?secret|password|api_?key|(?:access_?|refresh_?|id_?)?token|code_?verifier|code|pre_?image)=[^&]*/gi;

/**
 * Matches strings that may contain secrets. Most strings don't, and this check is faster than the
 * regular expressions above.
 */
const SUSPICIOUS =
  /secret|password|api_?key|token"|token=|verifier|authorization|image"|[?&]|^code=/i;

/** Returns a request's credential and the secrets in its body. */
export function secretsIn(authorization: string, body: string): readonly string[] {
  const [, scheme = '', value = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? [];
  const password = scheme.toLowerCase() === 'basic' ? passwordIn(value) : '';
  const members = [...body.matchAll(IN_JSON)].map(([, , secret = '']) => secret);
  return [value, password, ...members].filter(({ length }) => length >= SHORTEST);
}

function passwordIn(base64: string): string {
  try {
    return /:(.*)$/.exec(atob(base64))?.[1] ?? '';
  } catch {
    return ''; // the header isn't valid base64
  }
}

/** Removes secrets from a string, even if it's truncated in the middle of one. */
export function cutSecrets(text: string, secrets: readonly string[]): string {
  let rest = text;
  for (const secret of secrets)
    for (const form of new Set([
      secret,
      JSON.stringify(secret).slice(1, -1),
      encodeURIComponent(secret),
    ]))
      rest = withoutBegun(rest.replaceAll(form, CUT), form);
  if (!SUSPICIOUS.test(rest)) return rest;
  return rest.replace(IN_JSON, `$1${CUT}$3`).replace(IN_FORM, `$1$2=${CUT}`);
}

/** Removes a partial secret from the end of a string. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SHORTEST; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + CUT;
  return text;
}
