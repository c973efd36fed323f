import type {
  AllReceivesFilter,
  ReceiveFilter,
  ReceiveRequestFilter,
} from '../../resources/receive-requests.ts';
import type { StoredReceive, StoredRequest } from './receive-store.ts';

/** One of the values that are asked for, or nothing was. */
function isOneOf(
  value: string | undefined,
  asked: string | readonly string[] | undefined,
): boolean {
  return (
    asked === undefined ||
    (value !== undefined && [asked].flat().some((one) => one.toLowerCase() === value.toLowerCase()))
  );
}

/** Whether a request is one of those that are asked for. */
export function requestFits(
  { bolt11, onchain }: StoredRequest,
  { onchainAddress, bolt11Invoice, paymentHash }: ReceiveRequestFilter,
): boolean {
  return (
    isOneOf(onchain?.address, onchainAddress) &&
    isOneOf(bolt11?.invoice, bolt11Invoice) &&
    isOneOf(bolt11?.paymentHash, paymentHash)
  );
}

/** Whether a receive is one of those that are asked for. */
export function receiveFits(
  { receiveId, request }: StoredReceive,
  filter: ReceiveFilter & { readonly requestId?: AllReceivesFilter['receiveRequestId'] },
): boolean {
  return (
    isOneOf(receiveId, filter.receiveId) &&
    isOneOf(request.receiveRequestId, filter.requestId) &&
    requestFits(request, filter)
  );
}
