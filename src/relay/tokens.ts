import { jwtVerify, SignJWT } from 'jose';
import { badInput } from '../core/errors/index.ts';
import type { AnyEndpoint } from '../core/http/index.ts';
import { toHex, signHmac, verifyHmac, systemBytes } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { getEndpoint, quoteEndpoint } from '../resources/invoices.ts';
import { isPlainId } from '../resources/resource.ts';

/** What a token allows a page to do. `live` opens a WebSocket. */
export type PageVerb = 'read' | 'quote' | 'live';

/**
 * A token's claims (RFC 7519 4.1). They contain the invoice, what the page is allowed to do, and
 * the expiry in seconds since 1970.
 */
export interface Claims {
  readonly sub: string;
  readonly verbs: readonly string[];
  readonly exp: number;
}

/**
 * Options for signing and verifying page tokens. Use the same options for the relay and its rooms.
 */
export interface TokenSettings {
  /**
   * One secret. During a rotation, pass the new and the old one. The first secret is used to sign
   * tokens, and all of them are used to verify tokens.
   */
  readonly tokenSecret: string | readonly string[];
  /** The origin of the shop's pages, such as `https://shop.example`. */
  readonly origin: string;
  /** Separates the tokens of several accounts. Defaults to `main`. */
  readonly accountName?: string | undefined;
  /**
   * The lifetime of a token, in milliseconds. It must be a whole number of seconds, up to a day.
   * Defaults to 900,000. Use the same value for the relay and its rooms.
   */
  readonly tokenLifetime?: number | undefined;
}

export const TOKEN_SETTINGS = {
  tokenSecret: 'string|array!',
  origin: 'string!',
  accountName: 'string',
  tokenLifetime: 'number',
} as const;

const LIFETIME = 900_000;
const LONGEST_LIFETIME = 86_400_000;
/** The largest expected difference between the clocks of two machines, in seconds. */
const SKEW = 5;
const ISSUER = 'paystate-relay';
const ALGORITHM = 'HS256';
const SHORTEST_SECRET = 32;

/**
 * Creates and verifies page tokens (RFC 7519). All tokens have the same algorithm, issuer and
 * lifetime, and each token is for one invoice.
 */
export class PageTokens {
  readonly #keys: readonly Uint8Array[];
  readonly #audience: string;
  readonly #clock: Clock;
  /** The lifetime of a token, in seconds. */
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
        `must be a string of at least ${SHORTEST_SECRET} characters, or a list of the new and the old secret`,
      );
    this.lifetime = tokenLifetime / 1_000;
    if (!Number.isInteger(this.lifetime) || this.lifetime < 1 || tokenLifetime > LONGEST_LIFETIME)
      throw badInput(
        'tokenLifetime',
        'must be a multiple of 1,000 milliseconds, from 1,000 to 86,400,000',
      );
    this.#keys = secrets.map((secret) => new TextEncoder().encode(secret));
    this.#audience = `${origin}/${accountName}`;
    this.#clock = clock;
  }

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

  /** Verifies a token. Returns its claims, or `undefined` if it's invalid or expired. */
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

/**
 * Returns whether the claims of an open socket have expired, with the same tolerance as when it was
 * opened.
 */
export function isExpired({ exp }: Pick<Claims, 'exp'>, now: number): boolean {
  return now / 1_000 >= exp + SKEW;
}

/**
 * Generates an order's secret, which is 128 random bits as a hex string. The page gets it once,
 * together with its order.
 */
export function generateOrderSecret(): string {
  return toHex(systemBytes(16));
}

/** Hashes an order's secret. Only the hash is stored. */
export async function secretHash(secret: string, clock: Clock): Promise<string> {
  const digest = await clock.external(
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)),
  );
  return toHex(new Uint8Array(digest));
}

interface SealedOrder {
  readonly orderId: string;
  readonly orderSecret: string;
  /** When the order expires, in milliseconds since 1970. */
  readonly until: number;
}

/** The length of a signature in bytes. 128 bits can't be guessed. */
const LENGTH = 16;

/**
 * Signs order secrets together with the account, order and expiry, so that a wrong secret is
 * rejected without a query. The first token secret is used to sign, and all of them are used to
 * verify.
 */
export class OrderSeals {
  readonly #keys: readonly Uint8Array[];
  readonly #account: string;
  readonly #clock: Clock;

  constructor(tokenSecret: string | readonly string[], account: string, clock: Clock) {
    this.#keys = [tokenSecret].flat().map((secret) => new TextEncoder().encode(secret));
    this.#account = account;
    this.#clock = clock;
  }

  async seal(order: SealedOrder): Promise<string> {
    const tag = await this.#clock.external(signHmac(this.#keys[0]!, this.#textOf(order)));
    const seal = toHex(tag.slice(0, LENGTH));
    return `${order.orderSecret}.${Math.ceil(order.until / 1_000).toString(36)}.${seal}`;
  }

  /** Returns the order's secret, or `undefined` if the signature is wrong or has expired. */
  async open(orderId: string, sealed: string): Promise<string | undefined> {
    const [, orderSecret = '', end = '', seal = ''] =
      /^(.{32,})\.([0-9a-z]{1,9})\.([0-9a-f]{32})$/.exec(sealed) ?? [];
    const until = Number.parseInt(end, 36) * 1_000;
    if (!(until > this.#clock.now())) return undefined;
    const text = this.#textOf({ orderId, orderSecret, until });
    for (const key of this.#keys) {
      const tag = await this.#clock.external(signHmac(key, text));
      if (await this.#isSame(tag.slice(0, LENGTH), seal)) return orderSecret;
    }
    return undefined;
  }

  /**
   * Compares two signatures by comparing their HMACs, so the duration reveals nothing about them.
   */
  async #isSame(tag: Uint8Array, seal: string): Promise<boolean> {
    const key = this.#keys[0]!;
    const [one, other] = [toHex(tag), seal].map((text) => new TextEncoder().encode(text));
    return this.#clock.external(signHmac(key, one!).then((of) => verifyHmac(key, other!, of)));
  }

  /** Returns the string to sign. It's JSON, so that its parts can't be confused. */
  #textOf({ orderId, orderSecret, until }: SealedOrder): Uint8Array {
    const end = Math.ceil(until / 1_000);
    return new TextEncoder().encode(
      JSON.stringify(['order', this.#account, orderId, orderSecret, end]),
    );
  }
}

/**
 * The fields that pages may see. `true` includes the whole value, an object lists its fields, and
 * an array lists the fields of each item. A string replaces a hidden value.
 */
interface Members {
  readonly [member: string]: true | string | Members | readonly [Members];
}

interface PageRoute {
  readonly row: AnyEndpoint;
  readonly verb: PageVerb;
  readonly shows: Members;
}

/**
 * How long a page's request waits for the rate limit, in milliseconds. A page's own timeout is
 * longer, so the page receives the retry delay.
 */
export const PLACE_WAIT = 5_000;

const MONEY: Members = { amount: true, currency: true };

/**
 * The fields of an invoice that pages see. The account ids are replaced by empty strings, because
 * the schema requires these fields.
 */
export const INVOICE_MEMBERS: Members = {
  invoiceId: true,
  amount: MONEY,
  state: true,
  created: true,
  description: true,
  issuerId: '',
  receiverId: '',
  // the time and amount of payments let pages show late, excess or insufficient payments
  transactions: [{ transactionId: '', state: true, amountReceived: MONEY, completed: true }],
};

/**
 * The fields of a quote that pages see. On-chain addresses are left out, because they never expire
 * and have no fixed rate.
 */
export const QUOTE_MEMBERS: Members = {
  quoteId: true,
  description: true,
  lnInvoice: true,
  expiration: true,
  expirationInSec: true,
  targetAmount: MONEY,
  sourceAmount: MONEY,
  conversionRate: { amount: true, sourceCurrency: true, targetCurrency: true },
};

/** The routes of the gateway. All other requests are rejected. */
const ROUTES: readonly PageRoute[] = [
  { row: getEndpoint as AnyEndpoint, verb: 'read', shows: INVOICE_MEMBERS },
  { row: quoteEndpoint as AnyEndpoint, verb: 'quote', shows: QUOTE_MEMBERS },
];

export function findRoute(
  method: string,
  path: string,
): { readonly route: PageRoute; readonly id: string } | undefined {
  for (const route of ROUTES) {
    const id = route.row.method === method ? idIn(route.row.path, path) : undefined;
    if (id !== undefined) return { route, id };
  }
  return undefined;
}

/**
 * Returns the value of a path template's `{parameter}` in a path, or `undefined` if the path
 * doesn't match.
 */
function idIn(template: string, path: string): string | undefined {
  const wanted = template.split('/');
  const given = path.split('/');
  const at = wanted.findIndex((segment) => segment.startsWith('{'));
  const fits =
    given.length === wanted.length &&
    wanted.every((segment, n) => n === at || segment === given[n]);
  return fits && isPlainId(given[at]!) ? given[at] : undefined;
}

export function pickMembers<T>(value: T, members: Members): T {
  const given = value as Readonly<Record<string, unknown>>;
  const part = (name: string, rule: Members[string]): unknown => {
    const value = given[name];
    if (typeof rule === 'string') return rule;
    if (rule === true || value === undefined) return value;
    if (!isList(rule)) return pickMembers(value, rule);
    return Array.isArray(value) ? value.map((item) => pickMembers(item, rule[0])) : undefined;
  };
  const entries = Object.entries(members).map(([name, rule]) => [name, part(name, rule)] as const);
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined)) as T;
}

function isList(rule: Members | readonly [Members]): rule is readonly [Members] {
  return Array.isArray(rule);
}
