import { checkOptions, type InputError, isPaystateError } from '../core/errors/index.ts';
import { compareMoney, fromMsat, isSameMoney, type Money, roundMoney } from '../money/index.ts';
import { type BitcoinAddress, decodeAddress, looksSecret } from './address.ts';
import { NETWORKS } from './bech32.ts';
import {
  ALL_BITCOIN,
  checkPrefix,
  isAddressKey,
  readBitcoinUri,
  type UriWay,
} from './bitcoin-uri.ts';
import { type Bolt11, decodeBolt11, isBolt11Expired } from './bolt11.ts';
import {
  decodeLnurl,
  type LightningAddress,
  type Lnurl,
  LNURL_START,
  parseLightningAddress,
} from './lnurl.ts';
import type { Network } from '../core/http/index.ts';

/** A destination parsed from pasted text. */
export type Destination =
  | {
      readonly kind: 'bolt11';
      /** The decoded invoice. Its checksum is correct, but its signature hasn't been verified. */
      readonly bolt11: Bolt11;
    }
  | {
      readonly kind: 'lightning-address';
      /** The parsed address, with the URL to request an invoice from. */
      readonly address: LightningAddress;
    }
  | {
      readonly kind: 'lnurl';
      /** The decoded LNURL. An LNURL that isn't for payments is refused. */
      readonly lnurl: Lnurl;
    }
  | {
      readonly kind: 'address';
      /** The decoded on-chain address. Its checksum is correct. */
      readonly address: BitcoinAddress;
    }
  | UnifiedDestination
  | RefusedDestination;

/** A `bitcoin:` URI. It's for a single payment, but can contain several destinations. */
export interface UnifiedDestination {
  readonly kind: 'unified';
  /** The amount in the URI, or the amount in the URI's invoice if there's none. */
  readonly amount?: Money<'BTC'> | undefined;
  /** The receiver's name according to the URI. It isn't verified. */
  readonly label?: string | undefined;
  /** The purpose of the payment according to the URI. */
  readonly message?: string | undefined;
  /** The first payable Lightning destination, if there is one. */
  readonly lightning?:
    | Extract<Destination, { kind: 'bolt11' | 'lightning-address' | 'lnurl' }>
    | undefined;
  /** The on-chain addresses that can be paid, in the receiver's order of preference. */
  readonly addresses: readonly BitcoinAddress[];
  /**
   * All destinations in the URI, in order. If a destination isn't used, its entry contains the
   * reason.
   */
  readonly alternatives: readonly DestinationAlternative[];
}

/** A destination in a `bitcoin:` URI. */
export interface DestinationAlternative {
  /** The key in the URI, or `address` for the part before the question mark. */
  readonly key: string;
  /**
   * `payable` means that it can be paid. `unsupported` means that it can't be paid here or isn't a
   * destination. `broken` means that it's damaged, expired or for another network.
   */
  readonly status: 'payable' | 'unsupported' | 'broken';
  /**
   * Whether `pay` uses this destination. It uses the first Lightning destination, or the first
   * address if there isn't one.
   */
  readonly taken: boolean;
  /** Why it can't be paid, as a code. */
  readonly reason?: RefusalReason | undefined;
  /** Why it isn't used, as a sentence for the user. It never contains the pasted text. */
  readonly advice?: string | undefined;
}

/** Why pasted text can't be paid. */
export interface RefusedDestination {
  readonly kind: 'refused';
  /** Why it can't be paid, as a code. Show `advice` to the user. */
  readonly reason: RefusalReason;
  /** A sentence in English for the user who pasted the text. It never contains the text. */
  readonly advice: string;
  /** The destination's networks, if the reason is `wrong-network`. */
  readonly networks?: readonly Network[] | undefined;
  /** All destinations in a `bitcoin:` URI, if none of them can be paid. */
  readonly alternatives?: readonly DestinationAlternative[] | undefined;
}

/**
 * Why a destination is refused. `private-key` means that the text contains a secret, so don't store
 * it. `unreadable` means that the type is known, but the text is damaged.
 */
export type RefusalReason =
  | 'empty'
  | 'too-long'
  | 'private-key'
  | 'unknown'
  | 'unreadable'
  | 'unsupported'
  | 'wrong-network'
  | 'expired'
  | 'contradicts-itself';

/** Restrictions on destinations. By default, destinations of any network and age are accepted. */
export interface DestinationOptions {
  /** The payer's network. Destinations on other networks are refused. */
  readonly network?: Network | undefined;
  /**
   * The current time in milliseconds since 1970, by the client's clock. If set, expired invoices
   * are refused.
   */
  readonly now?: number | undefined;
}

const MAX_LENGTH = 16_000;
const ADDRESS = /^(?:(?:bc|tb|bcrt)1|[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$)/i;
const SECRET =
  'This looks like a private key or the recovery phrase of a wallet. Never paste it anywhere: anyone who has it can take the money.';
const UNSUPPORTED = `This payment method isn't accepted here: ask for an invoice, a Lightning address or a bitcoin address.`;
const SECOND = 'This part of the link could be paid too, but another part is preferred.';
/** Subjects of user-facing sentences, by error field. The error's advice begins with a verb. */
const SUBJECTS: Readonly<Record<string, string>> = {
  invoice: 'This invoice',
  address: 'This address',
  lnurl: 'This LNURL',
  uri: 'This link',
};
const STEP = 'Copy it again, or ask for another one.';

/**
 * Parses any text that a payer might paste or scan, which can be an invoice, a Lightning address,
 * an LNURL, a `bitcoin:` URI or an on-chain address.
 * @param text the pasted text
 * @param options the network to pay on, and the time
 * @returns the destination, or `refused` with a reason. Never throws for invalid text. No request
 * is sent
 *
 * @example
 * const to = parseDestination(input.value, { network: 'mainnet', now: clock.now() });
 * if (to.kind === 'refused') hint.textContent = to.advice;
 */
export function parseDestination(text: string, options: DestinationOptions = {}): Destination {
  checkOptions<DestinationOptions>(options, { network: NETWORKS, now: 'number' });
  if (typeof text !== 'string')
    return refuse('unknown', 'This is not a string: paste an invoice or an address.');
  if (text.length > MAX_LENGTH)
    return refuse('too-long', `This is too long for an invoice or an address. ${STEP}`);
  const bare = text.trim();
  if (bare === '')
    return refuse('empty', 'Paste an invoice, a Lightning address or a bitcoin address.');
  try {
    return /^bitcoin:/i.test(bare) ? readUri(bare, options) : readOne(bare, options);
  } catch (error) {
    return refusalFor(error);
  }
}

type One = Exclude<Destination, UnifiedDestination | RefusedDestination>;

function readOne(text: string, options: DestinationOptions): One {
  const bare = text.replace(/^lightning:(?:\/\/)?/i, '');
  if (looksSecret(bare)) throw new Refusal('private-key', SECRET);
  if (/^ln(?:bc|tb)/i.test(bare) && !bare.includes('@')) return bolt11Destination(bare, options);
  if (LNURL_START.test(bare) || /^https?:|^[a-z][a-z\d+.-]*:.*[?&]lightning=/i.test(bare))
    return lnurlDestination(bare);
  if (/^(?:lno1|lni1|lnr1|t?sp1)/i.test(bare)) throw new Refusal('unsupported', UNSUPPORTED);
  if (bare.includes('@'))
    return { kind: 'lightning-address', address: parseLightningAddress(bare) };
  if (ADDRESS.test(bare)) return { kind: 'address', address: addressDestination(bare, options) };
  throw new Refusal(
    'unknown',
    `This is not an invoice, a Lightning address, an LNURL or a bitcoin address. ${STEP}`,
  );
}

function readUri(text: string, options: DestinationOptions): Destination {
  const { facts, amount, ways } = readBitcoinUri(text);
  const found = ways
    .filter((way) => way.text)
    .map((way) => ({ key: way.key, one: readAlternative(way, options) }));
  const ones = found.map(({ one }) => one);
  const secret = ones.find((one) => one.kind === 'refused' && one.reason === 'private-key');
  if (secret) return secret;
  const lightning = ones.filter((one) => one.kind !== 'refused' && one.kind !== 'address');
  // addresses whose key is a network prefix come first (BIP 321)
  const byKey = [...found.filter(({ key }) => key), ...found.filter(({ key }) => !key)];
  const addresses = byKey.flatMap(({ one }) => (one.kind === 'address' ? [one] : []));
  const taken = lightning[0] ?? addresses[0];
  const alternatives = found.map(({ key, one }) => makeAlternative(key || 'address', one, taken));
  if (!taken) return { ...worst(ones as RefusedDestination[]), alternatives };
  const asked = checkAmounts(amount, lightning);
  checkNetworks([...lightning, ...addresses]);
  return {
    kind: 'unified',
    amount: amount ?? asked,
    label: facts.get('label'),
    message: facts.get('message'),
    lightning: lightning[0],
    addresses: addresses.map(({ address }) => address),
    alternatives,
  };
}
/** Reads one of a URI's destinations, independently of the others. */
function readAlternative(way: UriWay, options: DestinationOptions): One | RefusedDestination {
  try {
    if (isAddressKey(way.key)) {
      const address = addressDestination(way.text, options);
      checkPrefix(way);
      return { kind: 'address', address };
    }
    if (way.key !== 'lightning') throw new Refusal('unsupported', UNSUPPORTED);
    const one = readOne(way.text, options);
    if (one.kind !== 'address') return one;
    throw new Refusal(
      'unreadable',
      `The Lightning part of this link is a bitcoin address. ${STEP}`,
    );
  } catch (error) {
    return refusalFor(error);
  }
}

function makeAlternative(
  key: string,
  one: One | RefusedDestination,
  taken: One | undefined,
): DestinationAlternative {
  if (one === taken) return { key, status: 'payable', taken: true };
  if (one.kind !== 'refused') return { key, status: 'payable', taken: false, advice: SECOND };
  const { reason, advice } = one;
  const status = reason === 'unsupported' ? reason : 'broken';
  return { key, status, taken: false, reason, advice };
}

/** Throws if the URI and its invoices have different amounts. Returns the invoice's amount. */
function checkAmounts(amount: Money | undefined, ones: readonly One[]): Money<'BTC'> | undefined {
  const asked = ones.flatMap((one) =>
    one.kind === 'bolt11' ? (readAmount(one.bolt11) ?? []) : [],
  );
  const all = [...(amount ? [amount] : []), ...asked];
  if (all.every((a) => all.every((b) => isSameToSatoshi(a, b)))) return asked[0];
  throw new Refusal('contradicts-itself', `This link asks for two different amounts. ${STEP}`);
}

/** Compares amounts at the precision of the coarser one, rounded up or down. */
function isSameToSatoshi(a: Money, b: Money): boolean {
  const isRounded = (coarse: Money, fine: Money) =>
    (['down', 'up'] as const).some((rounding) =>
      isSameMoney(coarse, roundMoney(fine, { rounding })),
    );
  return isSameMoney(a, b) || isRounded(a, b) || isRounded(b, a);
}

/**
 * Throws if the destinations belong to different networks, because the intended network is unknown.
 */
function checkNetworks(ones: readonly One[]): void {
  const each = ones.flatMap((one) =>
    one.kind === 'bolt11'
      ? [[one.bolt11.network]]
      : one.kind === 'address'
        ? [one.address.networks]
        : [],
  );
  if (each[0]?.some((network) => each.every((networks) => networks.includes(network))) === false)
    throw new Refusal('contradicts-itself', `This link mixes two networks. ${STEP}`);
}

function readAmount({ amountMsat }: Bolt11): Money<'BTC'> | undefined {
  return amountMsat === undefined ? undefined : fromMsat(amountMsat);
}

function bolt11Destination(text: string, { network, now }: DestinationOptions): One {
  const invoice = decodeBolt11(text);
  checkNetwork('invoice', [invoice.network], network);
  if (now !== undefined && isBolt11Expired(invoice, now))
    throw new Refusal('expired', 'This invoice has expired: ask for a new one.');
  if (compareMoney(readAmount(invoice) ?? ALL_BITCOIN, ALL_BITCOIN) > 0)
    throw new Refusal('unreadable', `This invoice asks for more bitcoin than exists. ${STEP}`);
  return { kind: 'bolt11', bolt11: invoice };
}

function lnurlDestination(text: string): One {
  const lnurl = decodeLnurl(text);
  if (lnurl.tag !== undefined && lnurl.tag !== 'payRequest')
    throw new Refusal('unsupported', 'This LNURL is not for payments: ask for one that is.');
  return { kind: 'lnurl', lnurl };
}

function addressDestination(text: string, { network }: DestinationOptions): BitcoinAddress {
  const address = decodeAddress(text);
  checkNetwork('address', address.networks, network);
  return address;
}

function checkNetwork(
  what: string,
  networks: readonly Network[],
  wanted: Network | undefined,
): void {
  if (wanted === undefined || networks.includes(wanted)) return;
  throw new Refusal(
    'wrong-network',
    `This ${what} is for ${networks.join(' or ')}, but payments here are on ${wanted}: ask for one on that network.`,
    networks,
  );
}

function refuse(
  reason: RefusalReason,
  advice: string,
  networks?: readonly Network[],
): RefusedDestination {
  return { kind: 'refused', reason, advice, ...(networks && { networks }) };
}

function refusalFor(error: unknown): RefusedDestination {
  if (error instanceof Refusal) return error.destination;
  if (!isPaystateError(error)) throw error;
  const { validationErrors = {} } = error as InputError;
  const [field = '', [issue] = []] = Object.entries(validationErrors)[0] ?? [];
  const rule = issue?.values?.['rule'];
  if (rule === 'private-key') return refuse(rule, SECRET);
  const reason = rule === 'too-long' ? rule : 'unreadable';
  return refuse(reason, `${SUBJECTS[field] ?? 'This text'} ${issue?.message}. ${STEP}`);
}

/**
 * Returns the refusal to show. Damaged destinations take precedence over unsupported ones, because
 * the user can fix them.
 */
function worst(refused: readonly RefusedDestination[]): RefusedDestination {
  return refused.find(({ reason }) => reason !== 'unsupported') ?? refused[0]!;
}

class Refusal extends Error {
  readonly destination: RefusedDestination;

  constructor(reason: RefusalReason, advice: string, networks?: readonly Network[]) {
    super(advice);
    this.destination = refuse(reason, advice, networks);
  }
}
