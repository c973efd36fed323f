import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../core/time.ts';
import { badInput } from '../core/errors/index.ts';
import { isPlainId } from '../resources/resource.ts';

/** What a page may do with its token. */
export type PageVerb = 'read' | 'quote' | 'live';

/**
 * What a token says (RFC 7519 4.1): one resource, what may be done with it, and until when (seconds
 * since 1970).
 */
export interface Claims {
  readonly sub: string;
  readonly verbs: readonly string[];
  readonly exp: number;
}

/** How the tokens of pages are signed and verified; relay and rooms need the same. */
export interface TokenSettings {
  /**
   * One secret, or the new one and the old one while it is exchanged: the first signs, each
   * verifies.
   */
  readonly tokenSecret: string | readonly string[];
  /** Where the shop's pages are, such as `https://shop.example`. */
  readonly origin: string;
  /** Keeps the tokens of several accounts apart; `main`. */
  readonly accountName?: string | undefined;
  /**
   * How long a token is good, milliseconds: whole seconds up to a day; 900,000. The same for relay
   * and rooms.
   */
  readonly tokenLifetime?: number | undefined;
}

const LIFETIME = 900_000;
const LONGEST_LIFETIME = 86_400_000;
/** How far two machines' clocks may be apart, seconds. */
const SKEW = 5;
const ISSUER = 'paystate-relay';
const ALGORITHM = 'HS256';
const SHORTEST_SECRET = 32;

/**
 * Makes and checks the tokens of pages (RFC 7519): one algorithm, one issuer, one audience, one
 * resource, one lifetime.
 */
export class PageTokens {
  readonly #keys: readonly Uint8Array[];
  readonly #audience: string;
  readonly #clock: Clock;
  /** Seconds. */
  readonly lifetime: number;

  constructor(settings: TokenSettings, clock: Clock) {
    const { tokenSecret, origin, accountName = 'main', tokenLifetime = LIFETIME } = settings;
    const secrets = [tokenSecret].flat();
    if (
      secrets.length === 0 ||
      !secrets.every((secret) => typeof secret === 'string' && secret.length >= SHORTEST_SECRET)
    )
      throw badInput(
        'tokenSecret',
        `must be a text of at least ${SHORTEST_SECRET} characters, or the new and the old one`,
      );
    this.lifetime = tokenLifetime / 1_000;
    if (!Number.isInteger(this.lifetime) || this.lifetime < 1 || tokenLifetime > LONGEST_LIFETIME)
      throw badInput(
        'tokenLifetime',
        'must be milliseconds: whole seconds, from 1,000 to 86,400,000',
      );
    this.#keys = secrets.map((secret) => new TextEncoder().encode(secret));
    this.#audience = `${origin}/${accountName}`;
    this.#clock = clock;
  }

  /** A token for one resource. */
  async sign(sub: string, verbs: readonly PageVerb[]): Promise<string> {
    if (typeof sub !== 'string' || !isPlainId(sub))
      throw badInput('invoiceId', 'must be the id of one invoice: letters, digits, - and _ only');
    const now = Math.floor(this.#clock.now() / 1_000);
    const token = new SignJWT({ verbs })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setAudience(this.#audience)
      .setSubject(sub)
      .setIssuedAt(now)
      .setExpirationTime(now + this.lifetime)
      .sign(this.#keys[0]!);
    return this.#clock.external(token);
  }

  /** What a token says; `undefined` for one that is not ours, not for here, or expired. */
  async verify(token: string): Promise<Claims | undefined> {
    for (const key of this.#keys) {
      const claims = await this.#clock.external(this.#read(token, key));
      if (claims) return claims;
    }
    return undefined;
  }

  async #read(token: string, key: Uint8Array): Promise<Claims | undefined> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: this.#audience,
        clockTolerance: SKEW,
        maxTokenAge: this.lifetime,
        requiredClaims: ['exp', 'sub'],
        currentDate: new Date(this.#clock.now()),
      });
      const { sub, exp, iat, verbs } = payload;
      const isShort = exp! - iat! <= this.lifetime;
      return isShort && isPlainId(sub!) && isTexts(verbs)
        ? { sub: sub!, exp: exp!, verbs }
        : undefined;
    } catch {
      return undefined;
    }
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** The claims of an open socket hold this much longer, as they did when it was opened. */
export function isExpired({ exp }: Pick<Claims, 'exp'>, now: number): boolean {
  return now / 1_000 >= exp + SKEW;
}
