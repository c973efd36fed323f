import { type InputError, isPaystateError } from '../core/errors/index.ts';
import { fromMsat, isSameMoney, type Money } from '../money/index.ts';
import { type BitcoinAddress, decodeAddress, looksSecret } from './address.ts';
import { parseBitcoinUri } from './bitcoin-uri.ts';
import { type Bolt11, decodeBolt11, isBolt11Expired } from './bolt11.ts';
import { decodeLnurl, type LightningAddress, type Lnurl, parseLightningAddress } from './lnurl.ts';
import type { Network } from '../core/http/index.ts';

/** The destination that a pasted text names. */
export type Destination =
  | {
      readonly kind: 'bolt11';
      /** The decoded invoice; its checksum is correct, its signature is not verified. */
      readonly bolt11: Bolt11;
    }
  | {
      readonly kind: 'lightning-address';
      /** Its parts, and the web address to ask for an invoice. */
      readonly address: LightningAddress;
    }
  | {
      readonly kind: 'lnurl';
      /** Its parts; one that says that it is not for paying is refused. */
      readonly lnurl: Lnurl;
    }
  | {
      readonly kind: 'address';
      /** The on-chain address; its checksum is correct. */
      readonly address: BitcoinAddress;
    }
  | UnifiedDestination
  | RefusedDestination;

/** A `bitcoin:` URI: one payment with one or more destinations. */
export interface UnifiedDestination {
  readonly kind: 'unified';
  /** The amount of the URI, or else of its invoice. */
  readonly amount?: Money<'BTC'> | undefined;
  /** Name of the receiver as the URI claims it; not verified. */
  readonly label?: string | undefined;
  /** The purpose of the payment as the URI claims it. */
  readonly message?: string | undefined;
  /** The Lightning destination, where there is one. */
  readonly lightning?:
    | Extract<Destination, { kind: 'bolt11' | 'lightning-address' | 'lnurl' }>
    | undefined;
  /** The on-chain addresses, best first. */
  readonly addresses: readonly BitcoinAddress[];
}

/** Why a text cannot be paid. */
export interface RefusedDestination {
  readonly kind: 'refused';
  /** The reason for programs; `advice` is for the user. */
  readonly reason: RefusalReason;
  /** One sentence in English for the user who pasted the text; it never repeats the text. */
  readonly advice: string;
  /** The networks that it belongs to, where the reason is `wrong-network`. */
  readonly networks?: readonly Network[] | undefined;
}

/**
 * `private-key`: a secret was pasted and must not be kept. `unreadable`: a known kind, but damaged.
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

/** The abilities of a payer; without options every network and every age is accepted. */
export interface DestinationOptions {
  /** The payer's network; anything of another network is refused. */
  readonly network?: Network | undefined;
  /**
   * Milliseconds since 1970, from the connection's clock; when given, expired invoices are refused.
   */
  readonly now?: number | undefined;
}

const MAX_LENGTH = 16_000;
const ADDRESS = /^(?:(?:bc|tb|bcrt)1|[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$)/i;
const SECRET =
  'This looks like a private key or the words of a wallet. Never paste it anywhere: whoever ' +
  'has it has the money.';
const NO_OFFERS =
  'Offers and silent payments cannot be paid here: ask for an invoice or an address.';
/** The subject of a reader's advice, which begins with a verb. */
const SUBJECTS: Readonly<Record<string, string>> = {
  invoice: 'This invoice',
  address: 'This address',
  lnurl: 'This LNURL',
  uri: 'This link',
};

/**
 * Reads whatever a payer can paste or scan: an invoice, a Lightning address, an LNURL, a `bitcoin:`
 * URI or an on-chain address.
 * @param text as pasted
 * @param options the network that is paid on, and the time
 * @returns what it is, or `refused` with a reason; never throws. Nothing is fetched
 * @example
 * const to = parseDestination(input.value, { network: 'mainnet', now: clock.now() });
 * if (to.kind === 'refused') hint.textContent = to.advice;
 */
export function parseDestination(text: string, options: DestinationOptions = {}): Destination {
  if (typeof text !== 'string') return refuse('unknown', 'This is not a text.');
  if (text.length > MAX_LENGTH)
    return refuse('too-long', 'This is too long to be a payment request.');
  const bare = text.trim();
  if (bare === '')
    return refuse('empty', 'Paste an invoice, a Lightning address or a bitcoin address.');
  try {
    return /^bitcoin:/i.test(bare) ? readUri(bare, options) : readOne(bare, options);
  } catch (error) {
    if (error instanceof Refusal) return error.destination;
    if (isPaystateError(error)) return refuseFor(error as InputError);
    throw error;
  }
}

function readOne(text: string, options: DestinationOptions): Destination {
  const bare = text.replace(/^lightning:(?:\/\/)?/i, '');
  if (looksSecret(bare)) throw new Refusal('private-key', SECRET);
  if (/^ln(?:bc|tb)/i.test(bare) && !bare.includes('@')) return bolt11Destination(bare, options);
  if (/^(?:lnurl1|lnurl[pwc]:|keyauth:|https?:)/i.test(bare)) return lnurlDestination(bare);
  if (/^(?:lno1|lni1|lnr1|t?sp1)/i.test(bare)) throw new Refusal('unsupported', NO_OFFERS);
  if (bare.includes('@'))
    return { kind: 'lightning-address', address: parseLightningAddress(bare) };
  if (ADDRESS.test(bare)) return { kind: 'address', address: addressDestination(bare, options) };
  throw new Refusal(
    'unknown',
    'This is not an invoice, a Lightning address, an LNURL or a bitcoin address.',
  );
}

function readUri(text: string, options: DestinationOptions): UnifiedDestination {
  const uri = parseBitcoinUri(text);
  const lightning = uri.lightning === undefined ? undefined : readOne(uri.lightning, options);
  if (
    lightning &&
    (lightning.kind === 'address' || lightning.kind === 'unified' || lightning.kind === 'refused')
  ) {
    throw new Refusal(
      'unreadable',
      'Its Lightning part is not an invoice, a Lightning address or an LNURL.',
    );
  }
  const addresses = [
    ...(uri.addresses ?? []),
    ...(uri.address === undefined ? [] : [uri.address]),
  ].map((address) => addressDestination(address, options));
  if (!lightning && addresses.length === 0) throw new Refusal('unsupported', NO_OFFERS);
  const invoice = lightning?.kind === 'bolt11' ? lightning.bolt11 : undefined;
  const asked = invoice?.amountMsat === undefined ? undefined : fromMsat(invoice.amountMsat);
  checkAgreement([uri.amount, asked], invoice, addresses);
  const { label, message, amount = asked } = uri;
  return { kind: 'unified', amount, label, message, lightning, addresses };
}

/** Throws where a text has two amounts or two networks: nobody knows which one was meant. */
function checkAgreement(
  amounts: readonly (Money | undefined)[],
  invoice: Bolt11 | undefined,
  addresses: readonly BitcoinAddress[],
): void {
  const [amount, asked] = amounts;
  if (amount && asked && !isSameMoney(amount, asked)) {
    throw new Refusal('contradicts-itself', 'Its invoice and its link ask for different amounts.');
  }
  const each = [
    ...addresses.map(({ networks }) => networks),
    ...(invoice ? [[invoice.network]] : []),
  ];
  if (
    each.length > 0 &&
    !each[0]?.some((network) => each.every((networks) => networks.includes(network)))
  ) {
    throw new Refusal('contradicts-itself', 'Its parts belong to different networks.');
  }
}

function bolt11Destination(text: string, { network, now }: DestinationOptions): Destination {
  const invoice = decodeBolt11(text);
  checkNetwork('invoice', [invoice.network], network);
  if (now !== undefined && isBolt11Expired(invoice, now))
    throw new Refusal('expired', 'This invoice has expired: ask for a new one.');
  return { kind: 'bolt11', bolt11: invoice };
}

function lnurlDestination(text: string): Destination {
  const lnurl = decodeLnurl(text);
  if (lnurl.tag !== undefined && lnurl.tag !== 'payRequest')
    throw new Refusal('unsupported', 'This LNURL is not for paying.');
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
    `This ${what} belongs to ${networks.join(' or ')}, but payments here are on ${wanted}.`,
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

/** Turns an error of a reader into a refusal. */
function refuseFor(error: InputError): RefusedDestination {
  const [field = '', [issue] = []] = Object.entries(error.validationErrors ?? {})[0] ?? [];
  const rule = issue?.values?.['rule'];
  const subject = SUBJECTS[field] ?? `Its ${field}`;
  return refuse(
    rule === 'private-key' || rule === 'too-long' ? rule : 'unreadable',
    `${subject} ${issue?.message}.`,
  );
}

/** Carries a refusal out of the readers; it never leaves this file. */
class Refusal extends Error {
  readonly destination: RefusedDestination;

  constructor(reason: RefusalReason, advice: string, networks?: readonly Network[]) {
    super(advice);
    this.destination = refuse(reason, advice, networks);
  }
}
