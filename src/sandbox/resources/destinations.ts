import { fromMsat, type Money, roundMoney } from '../../money/index.ts';
import { decodeAddress } from '../../lightning/address.ts';
import { type Bolt11, decodeBolt11, isBolt11Expired } from '../../lightning/bolt11.ts';
import { ServiceRefusal } from '../world/refusals.ts';
import type { World } from '../world/world.ts';
import { addressReceiver, bolt11Receiver, invoiceReceiver } from './account-receivers.ts';
import { drawSecret, NETWORK, type OutsideInvoice, outsideInvoices } from './outside.ts';
import { quoteStore } from './invoice-quotes.ts';
import { requestStore } from './receive-store.ts';
import type { Receiver } from './receivers.ts';

/** Where a BOLT11 text leads: to an account of the sandbox, to an outside wallet, or nowhere. */
export function lightningReceiver(world: World, text: string): Receiver {
  const invoice = readInvoice(text);
  const { paymentHash } = invoice;
  const quote = quoteStore(world).byHash.get(paymentHash);
  if (quote) return invoiceReceiver(world, quote);
  const request = requestStore(world).byHash.get(paymentHash);
  if (request?.bolt11) return bolt11Receiver(world, request, request.bolt11);
  return outsideReceiver(world, invoice, outsideInvoices(world).get(paymentHash));
}

function readInvoice(text: string): Bolt11 {
  try {
    const invoice = decodeBolt11(text);
    if (invoice.network === NETWORK) return invoice;
  } catch {
    // no invoice at all
  }
  throw new ServiceRefusal('INVALID_LN_INVOICE', { activeNetwork: NETWORK });
}

/** Millisatoshi are paid in whole satoshi, rounded up. */
function satsOf({ amountMsat }: Bolt11): Money | undefined {
  return amountMsat === undefined
    ? undefined
    : roundMoney(fromMsat(amountMsat), { rounding: 'up', digits: 8 });
}

function outsideReceiver(
  world: World,
  invoice: Bolt11,
  known: OutsideInvoice | undefined,
): Receiver {
  return {
    rail: 'lightning',
    account: undefined,
    sats: satsOf(invoice),
    description: invoice.description,
    preimage: known?.preimage,
    check(_payer, executing) {
      if (known?.paid) throw new ServiceRefusal('LN_INVOICE_PROCESSED');
      if (isBolt11Expired(invoice, world.clock.now()))
        throw new ServiceRefusal('INVALID_STATE_FOR_INVOICE_EXPIRED');
      if (known?.running) throw new ServiceRefusal('PROCESSING_PAYMENT');
      if (!known || known.route === 'none' || (executing && known.route === 'lost'))
        throw new ServiceRefusal('LN_ROUTE_NOT_FOUND');
    },
    credit: (_amount, sats) => ({ to: 'ln', money: sats }),
    begin() {
      known!.running = true;
      return (arrived) => {
        known!.running = false;
        known!.paid = arrived !== undefined;
      };
    },
  };
}

/** An outside wallet with a Lightning address: each payment has a hash of its own. */
export function nameReceiver(world: World, description: string, isReached: boolean): Receiver {
  return {
    rail: 'lightning',
    account: undefined,
    description,
    preimage: drawSecret(world, 'lnurl/preimage').preimage,
    check: () => {
      if (!isReached) throw new ServiceRefusal('LN_ROUTE_NOT_FOUND');
    },
    credit: (_amount, sats) => ({ to: 'ln', money: sats }),
    begin: () => () => {},
  };
}

/** Where an address leads: to a request of this world, or onto the chain. */
export function onchainReceiver(world: World, text: string): Receiver {
  const address = readAddress(text);
  const request = requestStore(world).byAddress.get(address);
  if (request) return addressReceiver(world, request);
  return {
    rail: 'onchain',
    account: undefined,
    check: () => {},
    credit: (_amount, sats) => ({ to: 'chain', money: sats }),
    begin: () => () => {},
  };
}

/** The address as it should be written, of this world's network. */
export function readAddress(text: string): string {
  try {
    const address = decodeAddress(text);
    if (address.networks.includes(NETWORK)) return address.text;
  } catch {
    // no address at all
  }
  throw new ServiceRefusal('INVALID_BITCOIN_ADDRESS');
}
