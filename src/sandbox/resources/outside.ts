import { sha256 } from '@noble/hashes/sha2.js';
import { fallbackAddress } from '../../lightning/address.ts';
import { type Bolt11Draft, encodeBolt11, encodeUnsignedBolt11 } from '../../lightning/signature.ts';
import { hexOf } from '../world/randomness.ts';
import { ServiceRefusal } from '../world/responses.ts';
import { storeOf, type World } from '../world/world.ts';
import { nextStateOf } from '../faults/state-rules.ts';

/** The network of this world: its invoices begin with `lntb`, its addresses with `tb1`. */
export const NETWORK = 'testnet';

/**
 * Whether an outside wallet can be reached: `good` · `none`: no route when quoted · `lost`: no
 * route when executed.
 */
export type Route = 'good' | 'none' | 'lost';

/** A hash with its secret, and how it stands. */
export interface OutsideInvoice {
  readonly paymentHash: string;
  readonly preimage: string;
  readonly route: Route;
  /** A payment is on its way. */
  running: boolean;
  /** It has been paid. */
  paid: boolean;
}

/** A BOLT11 text of an outside wallet. */
export interface OutsideDraft {
  /** Whole satoshi as text; the payer chooses when absent. */
  readonly sat?: string | undefined;
  /** Whole millisatoshi as text, instead of `sat`. */
  readonly msat?: string | undefined;
  /** What the text says it is for; `outside`. */
  readonly description?: string | undefined;
  /** Seconds; 3,600. */
  readonly expirySeconds?: number | undefined;
  /** Whether payments reach the wallet; `good`. */
  readonly route?: Route | undefined;
  /** Network of the text; `testnet`, the only one that this sandbox pays on. */
  readonly network?: Bolt11Draft['network'] | undefined;
}

/** Unless a state rule says otherwise. */
const UP = { state: 'AVAILABLE', delay: 0 };

/** Refuses while the Lightning network is away. */
export function requireLightning(world: World): void {
  if (nextStateOf(world, 'lightning', UP).state !== UP.state)
    throw new ServiceRefusal('LN_UNAVAILABLE');
}

/** Invoices of the outside world by their hashes. */
export function outsideInvoices(world: World): Map<string, OutsideInvoice> {
  return storeOf(world, 'outside', () => new Map());
}

/** A fresh secret and its hash. */
export function drawSecret(
  world: World,
  purpose: string,
): { readonly preimage: string; readonly paymentHash: string } {
  const preimage = world.random.bytes(purpose, world.random.next(purpose));
  return { preimage: hexOf(preimage), paymentHash: hexOf(sha256(preimage)) };
}

/** Writes a BOLT11 text as this world does: signed by one node, or not at all in simulation. */
export function encodeInvoice(
  world: World,
  purpose: string,
  draft: Omit<Bolt11Draft, 'network' | 'timestamp' | 'paymentSecret'> &
    Partial<Pick<Bolt11Draft, 'network'>>,
): string {
  const encode = world.signed ? encodeBolt11 : encodeUnsignedBolt11;
  const paymentSecret = hexOf(
    world.random.bytes(`${purpose}/secret`, world.random.next(`${purpose}/secret`)),
  );
  return encode(
    { network: NETWORK, ...draft, timestamp: Math.floor(world.clock.now() / 1_000), paymentSecret },
    world.random.bytes(`${purpose}/node`, 0),
  );
}

/** Makes a BOLT11 text of an outside wallet. */
export function createOutsideInvoice(world: World, draft: OutsideDraft): string {
  const {
    sat,
    msat = sat && `${sat}000`,
    description = 'outside',
    expirySeconds = 3_600,
    route = 'good',
    network = NETWORK,
  } = draft;
  const { preimage, paymentHash } = drawSecret(world, 'outside/preimage');
  const text = encodeInvoice(world, 'outside', {
    amountMsat: msat,
    paymentHash,
    description,
    expirySeconds,
    network,
  });
  outsideInvoices(world).set(paymentHash, {
    paymentHash,
    preimage,
    route,
    running: false,
    paid: false,
  });
  return text;
}

/** A fresh segwit address, of an outside wallet or of an account. */
export function drawAddress(world: World, purpose: string): string {
  const program = hexOf(
    world.random
      .bytes(`${purpose}/address`, world.random.next(`${purpose}/address`))
      .subarray(0, 20),
  );
  return fallbackAddress({ version: 0, program }, NETWORK);
}
