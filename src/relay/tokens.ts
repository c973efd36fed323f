import { jwtVerify, SignJWT } from 'jose';
import { badInput } from '../core/errors/index.ts';
import type { AnyEndpoint } from '../core/http/index.ts';
import { toHex, signHmac, verifyHmac, systemBytes } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { getEndpoint, quoteEndpoint } from '../resources/invoices.ts';
import { isPlainId } from '../resources/resource.ts';

/** The acts that a token allows a page. */
export type PageVerb = 'read' | 'quote' | 'live';

/**
 * The claims of a token (RFC 7519 4.1): one resource, what may be done with it, and until when
 * (seconds since 1970).
 */
export interface Claims {
  readonly sub: string;
  readonly verbs: readonly string[];
  readonly exp: number;
}

/** Options for signing and verifying the tokens of pages; relay and rooms need the same. */
export interface TokenSettings {
  /**
   * One secret, or the new one and the old one while it is exchanged: the first signs, each
   * verifies.
   */
  readonly tokenSecret: string | readonly string[];
  /** The origin of the shop's pages, such as `https://shop.example`. */
  readonly origin: string;
  /** Keeps the tokens of several accounts apart; `main`. */
  readonly accountName?: string | undefined;
  /**
   * Lifetime of a token, milliseconds: whole seconds up to a day; 900,000. The same for relay
   * and rooms.
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
/** Largest difference of two machines' clocks, seconds. */
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
        `must be a string of at least ${SHORTEST_SECRET} characters, ` +
          'or a list of the new and the old secret',
      );
    this.lifetime = tokenLifetime / 1_000;
    if (!Number.isInteger(this.lifetime) || this.lifetime < 1 || tokenLifetime > LONGEST_LIFETIME)
      throw badInput(
        'tokenLifetime',
        'must be whole seconds, given in milliseconds, from 1,000 to 86,400,000',
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

  /** The claims of a token; `undefined` for one that is not ours, not for here, or expired. */
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

/** Makes an order's secret, 128 random bits as text: given to the page once, with its order. */
export function generateOrderSecret(): string {
  return toHex(systemBytes(16));
}

/** The hash of an order secret, which is kept instead of it. */
export async function secretHash(secret: string, clock: Clock): Promise<string> {
  const digest = await clock.external(
    crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret)),
  );
  return toHex(new Uint8Array(digest));
}

/** The sealed facts: an order of an account, its secret, and until when it opens anything. */
interface SealedOrder {
  readonly orderId: string;
  readonly orderSecret: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Bytes of a seal: 128 bits cannot be guessed. */
const LENGTH = 16;

/**
 * Seals the secrets of orders over account, order and end, so that a wrong one is refused without a
 * question to the database. The first secret seals, each opens.
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

  /** The secret with its seal, as the page is given it. */
  async seal(order: SealedOrder): Promise<string> {
    const tag = await this.#clock.external(signHmac(this.#keys[0]!, this.#textOf(order)));
    const seal = toHex(tag.slice(0, LENGTH));
    return `${order.orderSecret}.${Math.ceil(order.until / 1_000).toString(36)}.${seal}`;
  }

  /** The secret of a sealed one; `undefined` where the seal is wrong, or its time is over. */
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

  /** Compared by tags of both, so that the time says nothing. */
  async #isSame(tag: Uint8Array, seal: string): Promise<boolean> {
    const key = this.#keys[0]!;
    const [one, other] = [toHex(tag), seal].map((text) => new TextEncoder().encode(text));
    return this.#clock.external(signHmac(key, one!).then((of) => verifyHmac(key, other!, of)));
  }

  /** Each part is a line of JSON: none can run into the next. */
  #textOf({ orderId, orderSecret, until }: SealedOrder): Uint8Array {
    const end = Math.ceil(until / 1_000);
    return new TextEncoder().encode(
      JSON.stringify(['order', this.#account, orderId, orderSecret, end]),
    );
  }
}

/**
 * Members that may be shown: `true` whole, a table its members, a list with one table those of each
 * item, a text in place of what is withheld.
 */
interface Members {
  readonly [member: string]: true | string | Members | readonly [Members];
}

/** One thing that a page may ask. */
interface PageRoute {
  readonly row: AnyEndpoint;
  /** The verb that the token has to allow. */
  readonly verb: PageVerb;
  readonly shows: Members;
}

/**
 * A request of a page waits this long for a place in the rate limit, milliseconds: less than a
 * page waits, so that it hears when to come back.
 */
export const PLACE_WAIT = 5_000;

const MONEY: Members = { amount: true, currency: true };

/**
 * The members of an invoice that pages see. Whose account it is concerns no page, but a model
 * without these members cannot be read: their texts are empty.
 */
export const INVOICE_MEMBERS: Members = {
  invoiceId: true,
  amount: MONEY,
  state: true,
  created: true,
  description: true,
  issuerId: '',
  receiverId: '',
  // when a payment came and how much: with it a page says that it was late, too much or too little
  transactions: [{ transactionId: '', state: true, amountReceived: MONEY, completed: true }],
};

/**
 * The members of a quote that pages see: never an on-chain address, which has no end and no rate.
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

/** Everything that the gateway lets through; whatever is not here is refused. */
const ROUTES: readonly PageRoute[] = [
  { row: getEndpoint as AnyEndpoint, verb: 'read', shows: INVOICE_MEMBERS },
  { row: quoteEndpoint as AnyEndpoint, verb: 'quote', shows: QUOTE_MEMBERS },
];

/** The route of a request and the id that its path names. */
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
 * The one `{parameter}` of a template, read from a path; `undefined` where they differ elsewhere.
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

/** The members of a value that may be shown, and no others. */
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
