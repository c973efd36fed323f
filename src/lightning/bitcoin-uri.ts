import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { compareMoney, isSameMoney, type Money, roundMoney, toSat } from '../money/index.ts';
import { looksSecret } from './address.ts';

/**
 * The content of a `bitcoin:` URI (BIP 21, BIP 321). `parseDestination` also validates the URI's
 * addresses and invoices.
 */
export interface BitcoinUri {
  /** The raw on-chain address. Absent if the URI only contains other kinds of destinations. */
  readonly address?: string | undefined;
  /** Additional SegWit addresses. In the URI, each one's key is its network's prefix. */
  readonly addresses?: readonly string[] | undefined;
  /** The exact amount, as a decimal string. */
  readonly amount?: Money<'BTC'> | undefined;
  /** The receiver's name according to the URI. It isn't verified, so don't present it as proof. */
  readonly label?: string | undefined;
  /** The purpose of the payment according to the URI. It's only for the payer and isn't sent. */
  readonly message?: string | undefined;
  /** An invoice, LNURL or Lightning address. If there are several, this is the first one. */
  readonly lightning?: string | undefined;
  /** A BOLT 12 offer. If there are several, this is the first one. */
  readonly offer?: string | undefined;
  /** A raw silent payment address (BIP 352). If there are several, this is the first one. */
  readonly silentPayment?: string | undefined;
  /** All other parameters, by lowercase key. If a key is repeated, this is the last value. */
  readonly other?: Readonly<Record<string, string>> | undefined;
}

const URI_MEMBERS: Expected<Omit<BitcoinUri, 'other' | 'addresses'>> = {
  address: 'string',
  amount: 'object',
  label: 'string',
  message: 'string',
  lightning: 'string',
  offer: 'string',
  silentPayment: 'string',
};

/** A URI parameter that may be a destination. The part before the `?` has an empty key. */
export interface UriWay {
  readonly key: string;
  readonly text: string;
}

interface UriParts {
  /** Parameters that may only occur once. */
  readonly facts: ReadonlyMap<string, string>;
  readonly amount?: Money<'BTC'> | undefined;
  /**
   * All other parameters in order, including empty ones, because any of them may be a destination.
   */
  readonly ways: readonly UriWay[];
}

const MAX_LENGTH = 16_000;
const MAX_PARAMETERS = 64;
const NETWORK_KEY = /^(?:bc|tb|tbs|bcrt)$/;
const FACT = /^(?:amount|label|message|pop)$/;
/**
 * Keys that a URI may mark as required. `pop` isn't included, because we don't send a proof of
 * payment.
 */
const KNOWN = /^(?:amount|label|message|lightning|lno|sp|bc|tb|tbs|bcrt)$/;
export const ALL_BITCOIN: Money<'BTC'> = { amount: '21000000', currency: 'BTC' };

/**
 * Parses a `bitcoin:` URI.
 * @param text the URI. Its scheme and keys can be in any case
 * @returns the URI's content. Throws `InputError` with the violated rule, such as a repeated key or
 * an unknown required parameter
 *
 // { amount: '0.00012', currency: 'BTC' }
 * @example parseBitcoinUri('bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.00012').amount
 */
export function parseBitcoinUri(text: string): BitcoinUri {
  const { facts, amount, ways } = readBitcoinUri(text);
  ways.forEach(checkPrefix);
  const readFirst = (key: string) => ways.find((way) => way.key === key && way.text)?.text;
  const addresses = ways.filter(({ key, text: code }) => NETWORK_KEY.test(key) && code);
  const all = [...facts, ...ways.map((way) => [way.key, way.text] as const)];
  const other = all.filter(([key]) => key && !KNOWN.test(key));
  const uri = {
    address: readFirst(''),
    addresses: addresses.length > 0 ? addresses.map((way) => way.text) : undefined,
    amount,
    label: facts.get('label'),
    message: facts.get('message'),
    lightning: readFirst('lightning'),
    offer: readFirst('lno'),
    silentPayment: readFirst('sp'),
    // creates an own property even for a key such as `__proto__`
    other: other.length > 0 ? (Object.fromEntries(other) as Record<string, string>) : undefined,
  };
  return Object.fromEntries(
    Object.entries(uri).filter(([, value]) => value !== undefined),
  ) as BitcoinUri;
}

/** Splits a URI into its parts. Throws an `InputError` if it can't be a payment. */
export function readBitcoinUri(text: string): UriParts {
  if (typeof text !== 'string' || text.length > MAX_LENGTH)
    throw bad('too-long', `must be a string of at most ${MAX_LENGTH} characters`);
  const bare = text.trim();
  if (!/^bitcoin:/i.test(bare)) throw bad('scheme', 'must begin with bitcoin:');
  const [address = '', ...rest] = bare.slice(8).replace(/^\/\//, '').split('?');
  if (looksSecret(address))
    throw bad('private-key', 'contains a secret, not an address: never paste it anywhere');
  if (!/^[A-Za-z\d]*$/.test(address))
    throw bad('shape', 'contains a character that is not allowed in an address');
  const pairs = rest.join('?').split('&').filter(Boolean);
  if (pairs.length > MAX_PARAMETERS)
    throw bad('too-long', `has more than ${MAX_PARAMETERS} parameters`);
  const facts = new Map<string, string>();
  const ways: UriWay[] = [{ key: '', text: address }];
  for (const { key, text: value } of pairs.map(readPair)) {
    if (key && !FACT.test(key)) ways.push({ key, text: value });
    else if (facts.has(key)) throw bad('twice', `has more than one ${key}`);
    else facts.set(key, value);
  }
  if (!ways.some((way) => way.text)) throw bad('empty', 'has no destination');
  const amount = facts.get('amount');
  return { facts, amount: amount === undefined ? amount : bitcoinAmount(amount), ways };
}

/** Parses a parameter. A required parameter must be known (BIP 321, forward compatibility). */
function readPair(pair: string): UriWay {
  const at = pair.indexOf('=');
  const given = pair.slice(0, at < 0 ? pair.length : at).toLowerCase();
  const key = given.replace(/^req-/, '');
  if (key !== given && !KNOWN.test(key)) throw bad('required', 'requires an unknown feature');
  return { key, text: decodeText(at < 0 ? '' : pair.slice(at + 1)) };
}

export function checkPrefix({ key, text }: UriWay): void {
  if (NETWORK_KEY.test(key) && text && !text.toLowerCase().startsWith(`${key}1`))
    throw bad('network', 'contains an address with the prefix of another network');
}

export function isAddressKey(key: string): boolean {
  return key === '' || NETWORK_KEY.test(key);
}

/**
 * Parses an amount. The digits before or after the decimal point may be missing (BIP 321,
 * amountparam).
 */
function bitcoinAmount(text: string): Money<'BTC'> {
  if (!/^(?:\d{1,30}\.?|\d{0,30}\.\d{1,30})$/.test(text))
    throw bad('amount', 'must have an amount in bitcoin, as a decimal number such as 0.0025');
  const decimal = text.replace(/^\./, '0.').replace(/\.$/, '');
  const amount: Money<'BTC'> = { amount: decimal, currency: 'BTC' };
  if (!isSameMoney(amount, roundMoney(amount, { rounding: 'down' })))
    throw bad('amount', 'has an amount smaller than a satoshi (8 decimal places)');
  if (compareMoney(amount, ALL_BITCOIN) <= 0) return amount;
  throw bad('amount', 'asks for more bitcoin than exists');
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('encoding', 'has an invalid percent-encoding');
  }
}

/**
 * Formats a `bitcoin:` URI for a link.
 * @param uri the URI's content. If it has both `address` and `lightning`, every wallet can pay it
 * @returns the URI, with any SegWit address and invoice in lowercase. Throws `InputError` for an
 * amount with fractions of a satoshi, or if there's no destination
 *
 * @example bitcoinUri({ address, amount: money('0.00012', 'BTC'), lightning: invoice })
 */
export function bitcoinUri(uri: Omit<BitcoinUri, 'other' | 'addresses'>): string {
  return writeUri(uri, 'bitcoin:', (code) => (isOneCase(code) ? code.toLowerCase() : code));
}

/**
 * Formats a `bitcoin:` URI for a QR code. Uses uppercase where that doesn't change the meaning,
 * because it makes the QR code smaller.
 * @param uri the URI's content
 * @returns the URI. Base58 addresses, labels, messages and keys keep their case
 *
 * @example qrSvg(bitcoinUriQrText({ address, lightning: invoice }))
 */
export function bitcoinUriQrText(uri: Omit<BitcoinUri, 'other' | 'addresses'>): string {
  return writeUri(uri, 'BITCOIN:', (code) => (isOneCase(code) ? code.toUpperCase() : code));
}

function writeUri(uri: BitcoinUri, scheme: string, cased: (code: string) => string): string {
  checkOptions(uri ?? null, URI_MEMBERS, 'uri.');
  const { address = '', amount, label, message, lightning, offer, silentPayment } = uri;
  if (amount) toSat(amount);
  const pairs = Object.entries({
    amount: amount?.amount,
    label,
    message,
    lightning: lightning && cased(lightning),
    lno: offer && cased(offer),
    sp: silentPayment && cased(silentPayment),
  }).filter(([, value]) => value !== undefined && value !== '');
  const query = pairs
    .map(([key, value]) => `${key}=${encodeURIComponent(value as string)}`)
    .join('&');
  const text = `${scheme}${cased(address)}${query && `?${query}`}`;
  parseBitcoinUri(text);
  return text;
}

/** Returns whether a code is in a bech32 format, which isn't case-sensitive. */
function isOneCase(code: string): boolean {
  return /^(?:(?:bc|tb|bcrt|sp|tsp|lno|lnurl)1|ln(?:bc|tb))[a-z\d]+$/i.test(code);
}

function bad(rule: string, advice: string): Error {
  return badInput('uri', advice, { values: { rule } });
}
