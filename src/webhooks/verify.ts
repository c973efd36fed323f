import { type Clock, systemClock } from '../core/time.ts';
import { badInput, ResponseError, WebhookError } from '../core/errors/index.ts';
import { bytesOfHex, isHmacOf } from '../core/platform.ts';
import { readBytes, headerOf, type RawDelivery } from './delivery.ts';
import { asVerified, isEventId, readEvent, type WebhookEvent } from './event.ts';
import { MAX_DELIVERY_BYTES } from '../resources/service-facts.ts';
import { keysOf } from './secret.ts';

/** How a delivery is checked; every member has a default. */
export interface VerifyOptions {
  /** Name of the signature's header; `X-Webhook-Signature`. */
  readonly signatureHeader?: string | undefined;
  /** Longest body, bytes; 65,536. */
  readonly maxBodyBytes?: number | undefined;
  /** Virtual time stands still while the platform computes. */
  readonly clock?: Clock | undefined;
}

export const SIGNATURE_HEADER = 'X-Webhook-Signature';
const TAG_LENGTH = 32;

/**
 * Checks a delivery's signature over its raw bytes and reads its event. Give all secrets that may
 * still sign, the new one first: after a change, late retries come with the old one for ten days. A
 * body that declares more than `maxBodyBytes` is refused unread, and none is read further than
 * that; in an engine whose requests have no stream (Firefox, so no server) the platform takes in
 * all of it first, and what is too long is never brought into memory as bytes.
 *
 * @param delivery the `Request`, unread, or its raw bytes with its headers; never a parsed body
 * @throws WebhookError `SIGNATURE_MISSING` · `SIGNATURE_MALFORMED` · `SIGNATURE_MISMATCH` (another
 * secret, or other bytes) · `BODY_ALREADY_READ` · `SECRET_INVALID`; ResponseError `BODY_TOO_LARGE`
 * · `RESPONSE_NOT_JSON` · `RESPONSE_INVALID` (no id, or none that can be kept); InputError for
 * other options, or a delivery without headers
 * @example
 * const event = await verifyWebhook(request, env.WEBHOOK_SECRET);
 * const invoice = await client.invoices.get(event.data.entityId);
 */
export async function verifyWebhook(
  delivery: Request | RawDelivery,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  checkVerifyOptions(options);
  return (await verifyDelivery(delivery, keysOf(secrets), options)).event;
}

/** A header of another name than headers can have would fail each delivery. */
export function checkVerifyOptions({
  signatureHeader = SIGNATURE_HEADER,
  maxBodyBytes = MAX_DELIVERY_BYTES,
}: VerifyOptions): void {
  if (typeof signatureHeader !== 'string' || !/^[\w!#$%&'*+.^`|~-]+$/.test(signatureHeader))
    throw badInput('signatureHeader', 'must be the name of a header');
  if (!(typeof maxBodyBytes === 'number' && maxBodyBytes > 0))
    throw badInput('maxBodyBytes', 'must be a number of bytes, above 0');
}

/** A delivery whose signature is right: its bytes, and what they say. */
export interface VerifiedDelivery {
  readonly event: WebhookEvent;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** The event with the body that it was read from. */
export async function verifyDelivery(
  delivery: Request | RawDelivery,
  keys: readonly Uint8Array[],
  {
    signatureHeader = SIGNATURE_HEADER,
    maxBodyBytes = MAX_DELIVERY_BYTES,
    clock = systemClock,
  }: VerifyOptions,
): Promise<VerifiedDelivery> {
  const bytes = await readBytes(delivery, maxBodyBytes, clock);
  const tag = tagOf(headerOf(delivery, signatureHeader), signatureHeader);
  // all are tried, whichever is right
  const right = await clock.external(Promise.all(keys.map((key) => isHmacOf(key, bytes, tag))));
  const index = right.indexOf(true);
  if (index < 0)
    throw refusal(
      'SIGNATURE_MISMATCH',
      'the signature is that of another secret or of other bytes',
    );
  const text = new TextDecoder().decode(bytes);
  const event = readEvent(text);
  if (!isEventId(event.id))
    throw new ResponseError('the signed body is not an event: its id is not valid', {
      code: 'RESPONSE_INVALID',
      outcome: 'not-done',
      next: 'stop',
    });
  return { event: asVerified(event, index), text, bytes };
}

function tagOf(signature: string | undefined, header: string): Uint8Array {
  if (!signature) throw refusal('SIGNATURE_MISSING', `there is no header ${header}`);
  const tag = bytesOfHex(signature);
  if (tag?.byteLength !== TAG_LENGTH)
    throw refusal('SIGNATURE_MALFORMED', `${header} must be 64 hex digits and nothing else`);
  return tag;
}

function refusal(code: string, message: string): WebhookError {
  return new WebhookError(message, { code, outcome: 'not-done', next: 'stop' });
}
