import { jwtVerify, SignJWT } from 'jose';
import { badInput } from '../core/errors/index.ts';
import type { AnyEndpoint } from '../core/http/index.ts';
import { toHex, signHmac, verifyHmac, systemBytes } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { getEndpoint, quoteEndpoint } from '../resources/invoices.ts';
import { isPlainId } from '../resources/resource.ts';

/** What a token allows a page to do. */
export type PageVerb = 'read' | 'quote' | 'live';

/**
 * Claims of a token (RFC 7519 4.1): one resource, what's allowed, and the expiry in seconds since
 * 1970.
 */
export interface Claims {
  readonly sub: string;
  readonly verbs: readonly string[];
  readonly exp: number;
}

/** Options for signing and verifying page tokens. Relay and rooms need the same. */
export interface TokenSettings {
  /** One secret, or the new and the old one during a rotation. The first signs, and all verify. */
  readonly tokenSecret: string | readonly string[];
  /** Origin of the shop's pages, such as `https://shop.example`. */
  readonly origin: string;
  /** Separates the tokens of several accounts. Defaults to `main`. */
  readonly accountName?: string | undefined;
  /**
   * Lifetime of a token in milliseconds, in whole seconds up to a day. Defaults to 900,000. Use the
   * same for relay and rooms.
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
/** Largest possible difference between the clocks of two machines, in seconds. */
const SKEW = 5;
const ISSUER = 'paystate-relay';
const ALGORITHM = 'HS256';
const SHORTEST_SECRET = 32;

/**
 * Creates and checks page tokens (RFC 7519), with one algorithm, issuer, audience, resource and
 * lifetime.
 */
export class PageTokens {
  readonly #keys: readonly Uint8Array[];
  readonly #audience: string;
  readonly #clock: Clock;
  /** In seconds. */
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

  /** Returns the claims of a token, or `undefined` if it's foreign or expired. */
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
 * Returns whether an open socket's claims have expired, with the same tolerance as when it was
 * opened.
 */
export function isExpired({ exp }: Pick<Claims, 'exp'>, now: number): boolean {
  return now / 1_000 >= exp + SKEW;
}

/**
 * Creates an order's secret, 128 random bits as a string. The page gets it once, with its order.
 */
export function generateOrderSecret(): string {
  return toHex(systemBytes(16));
}

/** Returns the hash of an order's secret, which is stored instead of the secret. */
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

/** Length of a seal in bytes. Nobody can guess 128 bits. */
const LENGTH = 16;

/**
 * Seals secrets together with account, order and expiry, so a wrong one is rejected without a
 * query. The first secret seals, and all open.
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

  /** Returns the secret, or `undefined` if the seal is wrong or expired. */
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

  /** Compares the tags of both, so the duration reveals nothing. */
  async #isSame(tag: Uint8Array, seal: string): Promise<boolean> {
    const key = this.#keys[0]!;
    const [one, other] = [toHex(tag), seal].map((text) => new TextEncoder().encode(text));
    return this.#clock.external(signHmac(key, one!).then((of) => verifyHmac(key, other!, of)));
  }

  /** Each part is a line of JSON, so parts can't run into each other. */
  #textOf({ orderId, orderSecret, until }: SealedOrder): Uint8Array {
    const end = Math.ceil(until / 1_000);
    return new TextEncoder().encode(
      JSON.stringify(['order', this.#account, orderId, orderSecret, end]),
    );
  }
}

/**
 * The fields to show. `true` shows all of a value, an object lists its fields, and an array lists
 * the fields of each item. A string replaces a withheld value.
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
 * Longest a page's request waits for the rate limit, in milliseconds. The page itself waits longer,
 * so it learns when to retry.
 */
export const PLACE_WAIT = 5_000;

const MONEY: Members = { amount: true, currency: true };

/**
 * The fields of an invoice that pages see. The account is hidden, but its fields are left as empty
 * strings, because the model requires them.
 */
export const INVOICE_MEMBERS: Members = {
  invoiceId: true,
  amount: MONEY,
  state: true,
  created: true,
  description: true,
  issuerId: '',
  receiverId: '',
  // the time and amount of payments, so a page can show late, excess or short payments
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

/** The routes of the gateway. Everything else is rejected. */
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
 * Returns the `{parameter}` of a template from a path, or `undefined` if the path doesn't match.
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
