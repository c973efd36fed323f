export { type BitcoinAddress, decodeAddress, fallbackAddress } from './address.ts';
export { type BitcoinUri, bitcoinUri, bitcoinUriQrText, parseBitcoinUri } from './bitcoin-uri.ts';
export {
  type Destination,
  type DestinationAlternative,
  type DestinationOptions,
  parseDestination,
  type RefusalReason,
  type RefusedDestination,
  type UnifiedDestination,
} from './destination.ts';
export { type Bolt11, bolt11Link, bolt11QrText, decodeBolt11, isBolt11Expired } from './bolt11.ts';
export type { Bolt11Fields, Fallback, RouteHop } from './bolt11.ts';
export {
  decodeLnurl,
  encodeLnurl,
  type LightningAddress,
  type Lnurl,
  lnurlCallback,
  metadataHash,
  parseLightningAddress,
  type PayRequest,
  readPayRequest,
} from './lnurl.ts';
export type { Network } from '../core/http/index.ts';
export { isPreimageOf } from './hashes.ts';
