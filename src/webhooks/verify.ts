import {
  badInput,
  checkArgument,
  checkOptions,
  type Open,
  ResponseError,
  WebhookError,
} from '../core/errors/index.ts';
import { bytesOfHex, toHex, signHmac, verifyHmac, systemBytes } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import type { ServiceEvent, ServiceEventSubject } from '../resources/events.ts';
import type { EventType } from '../resources/events.types.ts';
import { MAX_DELIVERY_BYTES } from '../resources/service-facts.ts';
import { readBy } from '../resources/wire.ts';

/** The service's limits on the length of a secret, in UTF-16 code units. */
const SHORTEST = 10;
const LONGEST = 50;

/**
 * Generates a secret for a webhook subscription. It's 32 random bytes as 43 base64url characters.
 * Store it where your receiver can read it. Don't generate a new secret on every start, because
 * deliveries for the existing subscription would then be rejected.
 *
 * @example
 * const secret = generateWebhookSecret();
 */
export function generateWebhookSecret(): string {
  const text = btoa(String.fromCharCode(...systemBytes(32)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Converts secrets to keys. Throws for a secret that the service wouldn't accept. The error
 * contains the secret's position, but never the secret.
 */
export function listKeys(secrets: string | readonly string[]): readonly Uint8Array[] {
  checkArgument('secrets', secrets, 'string|array');
  const all: readonly unknown[] = secrets === undefined ? [] : [secrets].flat();
  if (all.length === 0) throw invalidSecret(0, 'is missing: check where this process gets it from');
  return all.map((secret, place) => {
    if (typeof secret !== 'string' || secret === '')
      throw invalidSecret(place, 'is empty or not a string: check where this process gets it from');
    if (secret.trim() !== secret)
      throw invalidSecret(place, 'starts or ends with whitespace; paste it again');
    if (secret.length < SHORTEST || secret.length > LONGEST)
      throw invalidSecret(place, `must have ${SHORTEST} to ${LONGEST} characters`);
    return new TextEncoder().encode(secret);
  });
}

/**
 * Signs a body in the same way as the service. Resolves to the value of the `X-Webhook-Signature`
 * header, in upper case.
 *
 * @param body the bytes to sign, or a string
 * @param secret the subscription's secret, with 10 to 50 characters
 * @throws WebhookError `SECRET_INVALID`
 *
 * @example
 * const headers = { 'X-Webhook-Signature': await signWebhook(body, secret) };
 */
export async function signWebhook(body: string | Uint8Array, secret: string): Promise<string> {
  checkArgument('secret', secret, 'string');
  const [key] = listKeys(secret) as [Uint8Array];
  if (!ArrayBuffer.isView(body)) checkArgument('body', body ?? null, 'string');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return toHex(await signHmac(key, bytes)).toUpperCase();
}

function invalidSecret(place: number, problem: string): WebhookError {
  return new WebhookError(`secrets[${place}] ${problem}`, {
    code: 'SECRET_INVALID',
    outcome: 'not-done',
    next: 'fix-input',
    values: { place },
  });
}

const verified: unique symbol = Symbol('verified');

/**
 * An event with a valid signature. Only `verifyWebhook` creates one. It only contains the id of a
 * resource, so you have to read the resource yourself. Unknown event types and versions are
 * accepted.
 */
export interface WebhookEvent extends ServiceEvent {
  /** Index of the secret that the event was signed with. */
  readonly [verified]: number;
}

/**
 * Returns which of your secrets an event was signed with, as an index of `secrets`. You can remove
 * an old secret once no event has been signed with it for ten days.
 *
 * @example
 * const event = await verifyWebhook(request, [newSecret, oldSecret]);
 * if (secretIndexOf(event) === 1) console.log('still signed with the old secret');
 */
export function secretIndexOf(event: WebhookEvent): number {
  const place = (Object(event) as Partial<WebhookEvent>)[verified];
  if (place === undefined) throw badInput('event', 'must be a result of verifyWebhook');
  return place;
}

/** Marks an event as verified. Only call this after its signature has been verified. */
function asVerified(event: ServiceEvent, place: number): WebhookEvent {
  return Object.defineProperty(event, verified, { value: place }) as WebhookEvent;
}

/**
 * Parses the body of a verified delivery. Only the id is required, because the service may change
 * other fields without notice.
 */
export function readEvent(text: string): ServiceEvent {
  const json = parseJson(text);
  try {
    return readBy(EventSchema, json);
  } catch {
    return readUnknownForm(json);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ResponseError('the signed body is not JSON', {
      code: 'RESPONSE_NOT_JSON',
      outcome: 'not-done',
      next: 'stop',
    });
  }
}

/** Returns whether an id can be stored, compared and printed. The service itself uses UUIDs. */
export function isEventId(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(id);
}

/**
 * Reads the known fields of an event in an unknown format. Missing fields become empty strings.
 */
function readUnknownForm(json: unknown): ServiceEvent {
  const { id, eventType, webhookVersion, data, created } = readMembers(json);
  if (typeof id !== 'string')
    throw new ResponseError('the signed body is not an event: it has no id', {
      code: 'RESPONSE_INVALID',
      outcome: 'not-done',
      next: 'stop',
    });
  return {
    id,
    eventType: readText(eventType) as Open<EventType>,
    webhookVersion: readText(webhookVersion),
    data: { ...subject(data) },
    created: readText(created),
  };
}

function subject(data: unknown): ServiceEventSubject {
  const { entityId, receiveId } = readMembers(data);
  return {
    entityId: readText(entityId),
    ...(typeof receiveId === 'string' && { receiveId }),
  };
}

function readMembers(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A delivery whose body your framework has already read, with its exact bytes. */
export interface RawDelivery {
  /**
   * The raw bytes of the body, before any parsing. The signature covers these bytes, so
   * re-serialized JSON wouldn't match.
   */
  readonly body: Uint8Array;
  /**
   * All headers of the request. Names can be in any case, and multiple values of a header are
   * joined with commas.
   */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Reads the body of a delivery. Throws if it's longer than `longest` bytes. */
async function readBytes(
  delivery: Request | RawDelivery,
  longest: number,
  clock: Clock | undefined,
): Promise<Uint8Array> {
  const bytes = isRequest(delivery)
    ? await readRequest(delivery, longest, clock)
    : rawBytes((delivery as Partial<RawDelivery> | undefined)?.body);
  if (bytes.byteLength > longest) throw tooLarge(longest);
  return bytes;
}

function isRequest(delivery: Request | RawDelivery): delivery is Request {
  return typeof (delivery as Partial<Request> | undefined)?.arrayBuffer === 'function';
}

function rawBytes(body: unknown): Uint8Array {
  if (ArrayBuffer.isView(body))
    return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const found = typeof body === 'string' ? 'a string' : body ? 'a parsed value' : 'missing';
  throw readBefore(`the body is ${found}; pass the raw bytes instead`);
}

async function readRequest(
  request: Request,
  longest: number,
  clock: Clock | undefined,
): Promise<Uint8Array> {
  const work = readStream(request, longest);
  return clock ? clock.external(work) : work;
}

async function readStream(request: Request, longest: number): Promise<Uint8Array> {
  if (declaredLength(request) > longest) throw tooLarge(longest);
  refuseReadBody(request);
  if (!('body' in request)) return readBlob(request, longest);
  const reader = request.body?.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  while (reader) {
    const { done, value } = await reader.read().catch(brokenOff);
    if (done) break;
    size += value.byteLength;
    if (size > longest) {
      reader.cancel().catch(() => {});
      throw tooLarge(longest);
    }
    parts.push(value);
  }
  return joinParts(parts, size);
}

/**
 * Reads the body in a browser without request streams. The platform receives the whole body, and
 * writes a long one to disk. Only a short body is then read into memory.
 */
async function readBlob(request: Request, longest: number): Promise<Uint8Array> {
  const blob = await request.blob();
  if (blob.size > longest) throw tooLarge(longest);
  return new Uint8Array(await blob.arrayBuffer());
}

function joinParts(parts: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let place = 0;
  for (const part of parts) {
    bytes.set(part, place);
    place += part.byteLength;
  }
  return bytes;
}

function readHeader({ headers }: Request | RawDelivery, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null)
    throw badInput('delivery', 'must include all of its headers');
  if (typeof (headers as Partial<Headers>).get === 'function')
    return (headers as Headers).get(name) ?? undefined;
  const found = Object.entries(headers).find(
    ([key]) => key.toLowerCase() === name.toLowerCase(),
  )?.[1] as string | readonly string[] | undefined;
  return typeof found === 'string' ? found : found?.join(', ');
}

/** Throws if the body can no longer be read. */
export function refuseReadBody({ bodyUsed, body }: Request): void {
  // runtimes set one of these two
  if (bodyUsed || body?.locked)
    throw readBefore(
      "the Request's body was already read, cancelled, or locked by tee() or getReader()",
    );
}

/** Throws if the body is shorter than its `content-length`. */
function refuseShortBody(delivery: Request | RawDelivery, { byteLength }: Uint8Array): void {
  const isPlain = ['content-encoding', 'transfer-encoding'].every((name) =>
    /^(identity)?$/i.test(readHeader(delivery, name) ?? ''),
  );
  if (isPlain && byteLength < declaredLength(delivery))
    throw readBefore('the body has fewer bytes than its content-length says');
}

/** Returns the value of `content-length`, or NaN if there's none. */
function declaredLength(delivery: Request | RawDelivery): number {
  return Number.parseInt(readHeader(delivery, 'content-length') ?? '', 10);
}

function readBefore(found: string): WebhookError {
  return new WebhookError(
    `${found}. The signature covers the raw bytes: turn off body parsers for this route, and pass the unread Request or its bytes`,
    { code: 'BODY_ALREADY_READ', outcome: 'not-done', next: 'fix-input' },
  );
}

function brokenOff(): never {
  throw new ResponseError('the connection broke while reading the body', {
    code: 'RESPONSE_INVALID',
    outcome: 'not-done',
    next: 'stop',
  });
}

function tooLarge(longest: number): ResponseError {
  return new ResponseError(`the body is longer than ${longest} bytes`, {
    code: 'BODY_TOO_LARGE',
    outcome: 'not-done',
    next: 'stop',
  });
}

/** Options for verifying a delivery. All have defaults. */
export interface VerifyOptions {
  /** The name of the signature header. Defaults to `X-Webhook-Signature`. */
  readonly signatureHeader?: string | undefined;
  /** The maximum size of a body in bytes. Defaults to 65,536. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The clock used for the verification. Virtual time doesn't advance while the signature is
   * verified.
   */
  readonly clock?: Clock | undefined;
}

export const SIGNATURE_HEADER = 'X-Webhook-Signature';
const TAG_LENGTH = 32;

/**
 * Verifies a delivery's signature over its raw bytes and reads its event. Pass all secrets that may
 * still be in use, newest first. After you change a secret, retries may use the old one for ten
 * days. A body whose `content-length` exceeds `maxBodyBytes` is rejected without reading it, and no
 * body is read beyond that size. In a browser without request streams, such as Firefox, the
 * platform receives the whole body first, but a body that's too long is never read into memory.
 *
 * @param delivery the unread `Request`, or its raw bytes with its headers, but never a parsed body
 * @throws WebhookError `SIGNATURE_MISSING` · `SIGNATURE_MALFORMED` · `SIGNATURE_MISMATCH` (a
 * different secret or different bytes) · `BODY_ALREADY_READ` (read, locked or cancelled before, or
 * shorter than its `content-length`) · `SECRET_INVALID`. ResponseError `BODY_TOO_LARGE` ·
 * `RESPONSE_NOT_JSON` · `RESPONSE_INVALID` (no usable id, or a body that broke off). InputError for
 * other options, or a delivery without headers
 *
 * @example
 * const event = await verifyWebhook(request, env.WEBHOOK_SECRET);
 * const invoice = await client.invoices.get(event.data.entityId);
 */
export async function verifyWebhook(
  delivery: Request | RawDelivery,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  checkArgument('delivery', delivery, 'object!');
  checkOptions<VerifyOptions>(options, {
    signatureHeader: 'string',
    maxBodyBytes: 'number',
    clock: 'object',
  });
  checkVerifyOptions(options);
  return (await verifyDelivery(delivery, listKeys(secrets), options)).event;
}

/** Throws for an invalid header name or size, because every delivery would fail later. */
export function checkVerifyOptions({
  signatureHeader = SIGNATURE_HEADER,
  maxBodyBytes = MAX_DELIVERY_BYTES,
}: VerifyOptions): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(signatureHeader))
    throw badInput('signatureHeader', 'must be the name of a header');
  if (!(maxBodyBytes > 0)) throw badInput('maxBodyBytes', 'must be a number of bytes above 0');
}

export interface VerifiedDelivery {
  readonly event: WebhookEvent;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Verifies a delivery. Returns its event together with the body. */
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
  const signature = readHeader(delivery, signatureHeader);
  const tag = parseTag(signature);
  // all keys are tried, so that the duration doesn't reveal which one is right
  const right = await clock.external(
    Promise.all(keys.map(async (key) => tag !== undefined && verifyHmac(key, bytes, tag))),
  );
  const index = right.indexOf(true);
  if (index < 0) {
    // a body with a valid signature is complete, even if its declared length differs
    refuseShortBody(delivery, bytes);
    throw mismatch(signature, signatureHeader, bytes);
  }
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

function parseTag(signature: string | undefined): Uint8Array | undefined {
  const tag = bytesOfHex(signature ?? '');
  return tag?.byteLength === TAG_LENGTH ? tag : undefined;
}

function mismatch(
  signature: string | undefined,
  header: string,
  { byteLength }: Uint8Array,
): WebhookError {
  if (!signature) return refusal('SIGNATURE_MISSING', `there is no header ${header}`);
  if (!parseTag(signature))
    return refusal('SIGNATURE_MALFORMED', `${header} must be 64 hex digits and nothing else`);
  return refusal(
    'SIGNATURE_MISMATCH',
    byteLength > 0
      ? 'the signature was made with a different secret or for different bytes'
      : 'the body is empty, but the signature is for a longer one: a body parser may have read it before',
  );
}

function refusal(code: string, message: string): WebhookError {
  return new WebhookError(message, { code, outcome: 'not-done', next: 'stop' });
}
