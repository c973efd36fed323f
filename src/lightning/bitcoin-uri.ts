import { badInput } from '../core/errors/index.ts';
import { type Money, toSat } from '../money/index.ts';
import { parseUnsignedMoney } from '../money/money.ts';
import { looksSecret } from './address.ts';

/**
 * The content of a `bitcoin:` URI (BIP 21, BIP 321). Addresses and codes in it are not checked;
 * `parseDestination` checks them.
 */
export interface BitcoinUri {
  /** The on-chain address as written; absent where the URI contains only other destinations. */
  readonly address?: string | undefined;
  /** Further segwit addresses, each under the prefix of its network. */
  readonly addresses?: readonly string[] | undefined;
  /** The amount as written; it never becomes a JavaScript number. */
  readonly amount?: Money<'BTC'> | undefined;
  /** Name of the receiver as the URI claims it; not verified, so never show it as proof. */
  readonly label?: string | undefined;
  /** The purpose of the payment as the URI claims it; text for the payer, not for the network. */
  readonly message?: string | undefined;
  /** An invoice, LNURL or Lightning address. */
  readonly lightning?: string | undefined;
  /** A BOLT 12 offer. */
  readonly offer?: string | undefined;
  /** A silent payment address (BIP 352), as written. */
  readonly silentPayment?: string | undefined;
  /** All other parameters, by key in lower case. */
  readonly other?: Readonly<Record<string, string>> | undefined;
}

type Draft = { -readonly [Name in keyof BitcoinUri]: BitcoinUri[Name] };

const MAX_LENGTH = 16_000;
const MAX_PARAMETERS = 64;
const KEYS: Readonly<
  Record<string, 'label' | 'message' | 'lightning' | 'offer' | 'silentPayment'>
> = {
  label: 'label',
  message: 'message',
  lightning: 'lightning',
  lno: 'offer',
  sp: 'silentPayment',
};

/**
 * Reads a `bitcoin:` URI.
 * @param text the URI, in any case; keys too are of any case
 * @returns its parts; throws `InputError` naming the broken rule, such as a key given twice or one
 * that is required but unknown
 * @example parseBitcoinUri('bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.00012').amount // { amount: '0.00012', currency: 'BTC' }
 */
export function parseBitcoinUri(text: string): BitcoinUri {
  if (typeof text !== 'string' || text.length > MAX_LENGTH)
    throw bad('too-long', `must be a text of at most ${MAX_LENGTH} characters`);
  const bare = text.trim();
  if (!/^bitcoin:/i.test(bare)) throw bad('scheme', 'must begin with bitcoin:');
  const [address = '', ...rest] = bare.slice(8).replace(/^\/\//, '').split('?');
  if (looksSecret(address))
    throw bad('private-key', 'contains a secret, not an address: never paste it anywhere');
  if (!/^[A-Za-z\d]*$/.test(address))
    throw bad('shape', 'contains a character that is not allowed in an address');
  const uri: Draft = address ? { address } : {};
  const seen = new Set<string>();
  const pairs = rest.join('?').split('&');
  if (pairs.length > MAX_PARAMETERS)
    throw bad('too-long', `has more than ${MAX_PARAMETERS} parameters`);
  for (const pair of pairs) if (pair) readPair(uri, pair, seen);
  if (!uri.address && !uri.addresses && !uri.lightning && !uri.offer && !uri.silentPayment)
    throw bad('empty', 'names no destination');
  return uri;
}

function readPair(uri: Draft, pair: string, seen: Set<string>): void {
  const at = pair.indexOf('=');
  const key = pair.slice(0, at < 0 ? pair.length : at).toLowerCase();
  const value = decodeText(at < 0 ? '' : pair.slice(at + 1));
  if (key.startsWith('req-')) throw bad('required', 'requires something unknown');
  if (/^(?:bc|tb|tbs|bcrt)$/.test(key)) return addAddress(uri, key, value);
  if (seen.has(key)) throw bad('twice', 'contains a parameter twice');
  seen.add(key);
  if (key === 'amount') uri.amount = bitcoinAmount(value);
  else if (Object.hasOwn(KEYS, key)) uri[KEYS[key] as 'label'] = value;
  // stays an own member even for a key such as `__proto__`
  else uri.other = Object.fromEntries([...Object.entries(uri.other ?? {}), [key, value]]);
}

function addAddress(uri: Draft, prefix: string, address: string): void {
  if (!address.toLowerCase().startsWith(`${prefix}1`))
    throw bad('network', 'contains an address under the prefix of another network');
  uri.addresses = [...(uri.addresses ?? []), address];
}

function bitcoinAmount(text: string): Money<'BTC'> {
  const amount = parseUnsignedMoney({ amount: text, currency: 'BTC' }) as Money<'BTC'>;
  toSat(amount);
  return amount;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('encoding', 'has a wrong encoding after a percent sign');
  }
}

/**
 * Writes a `bitcoin:` URI for a link.
 * @param uri what it shall say; give `address` and `lightning` for one that every wallet can pay
 * @returns the URI, segwit address and invoice in lower case; throws `InputError` for an amount
 * finer than a satoshi, or when it says nowhere to pay to
 * @example bitcoinUri({ address, amount: money('0.00012', 'BTC'), lightning: invoice })
 */
export function bitcoinUri(uri: Omit<BitcoinUri, 'other' | 'addresses'>): string {
  return writeUri(uri, 'bitcoin:', (code) => (isOneCase(code) ? code.toLowerCase() : code));
}

/**
 * Writes a `bitcoin:` URI for a QR code: upper case wherever that changes nothing, for a code of
 * fewer dots.
 * @param uri what it shall say
 * @returns the URI; base58 addresses, labels, messages and keys stay as they are
 * @example qrSvg(bitcoinUriQrText({ address, lightning: invoice }))
 */
export function bitcoinUriQrText(uri: Omit<BitcoinUri, 'other' | 'addresses'>): string {
  return writeUri(uri, 'BITCOIN:', (code) => (isOneCase(code) ? code.toUpperCase() : code));
}

function writeUri(uri: BitcoinUri, scheme: string, cased: (code: string) => string): string {
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

/**
 * Tells whether a code means the same in either case: codes of the bech32 family do, base58 does
 * not.
 */
function isOneCase(code: string): boolean {
  return /^(?:(?:bc|tb|bcrt|sp|tsp|lno|lnurl)1|ln(?:bc|tb))[a-z\d]+$/i.test(code);
}

function bad(rule: string, advice: string): Error {
  return badInput('uri', advice, { values: { rule } });
}
