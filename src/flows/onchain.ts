import { decodeBolt11 } from '../lightning/index.ts';
import { segwitAddress, segwitScript } from '../lightning/segwit.ts';
import type { InvoiceQuote } from '../resources/invoices/model.ts';
import type { QuoteProblem } from './quote.ts';

/** How a code goes together with an on-chain address. */
export interface OnchainWay {
  /** An address of the code's network that fits its fallbacks. */
  readonly onchain: string | undefined;
  /** Why the code must not be shown together with an address. */
  readonly onchainProblem: QuoteProblem | undefined;
  /** Why it must not be shown without one: wallets find the address in the code. */
  readonly fallbackProblem: QuoteProblem | undefined;
}

/**
 * The on-chain address of a quote, and where the code must not be shown because of it. An address
 * never ends and has no rate, and wallets read it out of a code that holds it as well. Only segwit
 * addresses are compared; what cannot be compared is not shown.
 */
export function onchainOf({ lnInvoice, onchainAddress }: InvoiceQuote): OnchainWay {
  const { network, fallbacks } = decodeBolt11(lnInvoice);
  const address = segwitOf(onchainAddress);
  const fits = (one: NonNullable<typeof address>) =>
    one.networks.includes(network) &&
    fallbacks.every(({ version, program }) => segwitScript(version, program) === one.script);
  const onchain = address && fits(address) ? address.text : undefined;
  const isAbsent = onchainAddress === undefined && fallbacks.length === 0;
  return {
    onchain,
    onchainProblem: onchain || isAbsent ? undefined : 'QUOTE_ONCHAIN_DIFFERS',
    fallbackProblem: fallbacks.length > 0 ? 'QUOTE_HAS_ONCHAIN' : undefined,
  };
}

function segwitOf(text: string | undefined): ReturnType<typeof segwitAddress> | undefined {
  try {
    return text === undefined ? undefined : segwitAddress(text);
  } catch {
    return undefined;
  }
}
