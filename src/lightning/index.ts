export type { BitcoinAddress } from './address.ts';
export { decodeAddress, fallbackAddress } from './address.ts';
export type { BitcoinUri } from './bitcoin-uri.ts';
export { bitcoinUri, bitcoinUriQrText, parseBitcoinUri } from './bitcoin-uri.ts';
export type {
  Destination,
  DestinationOptions,
  RefusalReason,
  RefusedDestination,
  UnifiedDestination,
} from './destination.ts';
export { parseDestination } from './destination.ts';
export type { Bolt11 } from './invoice.ts';
export { decodeBolt11, isBolt11Expired } from './invoice.ts';
export type { Bolt11Fields } from './invoice-fields.ts';
export type { Fallback, RouteHop } from './invoice-parts.ts';
export { bolt11Link, bolt11QrText } from './invoice-text.ts';
export type { LightningAddress } from './lightning-address.ts';
export { parseLightningAddress } from './lightning-address.ts';
export type { Lnurl } from './lnurl.ts';
export { decodeLnurl, encodeLnurl } from './lnurl.ts';
export type { Network } from './networks.ts';
export type { PayRequest } from './pay-request.ts';
export { lnurlCallback, metadataHash, readPayRequest } from './pay-request.ts';
export { isPreimageOf } from './preimage.ts';
