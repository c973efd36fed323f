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
export type { Bolt11 } from './bolt11.ts';
export { decodeBolt11, isBolt11Expired } from './bolt11.ts';
export type { Bolt11Fields } from './bolt11-fields.ts';
export type { Fallback, RouteHop } from './bolt11-parts.ts';
export { bolt11Link, bolt11QrText } from './bolt11-text.ts';
export type { LightningAddress } from './lightning-address.ts';
export { parseLightningAddress } from './lightning-address.ts';
export type { Lnurl } from './lnurl.ts';
export { decodeLnurl, encodeLnurl } from './lnurl.ts';
export type { Network } from './networks.ts';
export type { PayRequest } from './pay-request.ts';
export { lnurlCallback, metadataHash, readPayRequest } from './pay-request.ts';
export { isPreimageOf } from './preimage.ts';
