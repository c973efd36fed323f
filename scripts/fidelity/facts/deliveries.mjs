// Webhooks: headers, body, signature, who gets them; failures and retries.
import {
  about,
  accountWide,
  afterChange,
  afterRemoval,
  arrives,
  bodyHas,
  bothGet,
  delivers,
  header,
  isTheEvent,
  newAddress,
  retryAt,
  sameAgain,
  sevenDigits,
  signed,
  signedBy,
  successIs,
} from '../checks-deliveries.mjs';
import { section } from '../section.mjs';
import { absent, like, members, object, time, uuid } from '../shapes.mjs';
import { same } from '../verdict.mjs';

const [SECOND, DAY] = [1_000, 86_400_000];
const answer =
  (...statuses) =>
  (count) => ({ status: statuses[count - 1] ?? statuses.at(-1) });
const LONG = 60 * DAY;
const OTHER = 'another secret of thirty';

// biome-ignore format: one line a fact
export const deliveries = section('deliveries', [
  ['Events', 'A webhook is a POST.', delivers(({ method }) => same('POST', method))],
  ['Events', 'A webhook goes to the address of its subscription.', delivers(({ url, receiver }) => same(receiver.url, url))],
  ['wire 1.1', 'The body of a webhook is JSON and says so.', header('content-type', /^application\/json/)],
  ['wire 3.2', 'The signature is 64 hexadecimal digits without anything before them.', header('x-webhook-signature', /^[0-9a-f]{64}$/i)],
  ['wire 3.2', 'The digits of the signature are in capital letters.', header('x-webhook-signature', /^[0-9A-F]{64}$/)],
  ['wire 3.2', 'The signature is the HMAC of the bytes with the secret of the subscription.', signed()],
  ['Events', 'The body has the id of the event.', bodyHas('id', uuid)],
  ['Events', 'The body has the type of the event.', bodyHas('eventType', like(/^invoice\.created$/))],
  ['Events', 'The body has the version of its form.', bodyHas('webhookVersion', like(/^v1$/))],
  ['Events', 'The version is that of the subscription.', bodyHas('webhookVersion', like(/^v2$/), { set: { webhookVersion: 'v2' } })],
  ['Events', 'The body has data.', bodyHas('data', object)],
  ['Events', 'The data name the invoice.', about()],
  ['Events', 'The body has the time of the event.', bodyHas('created', time)],
  ['examination S2', 'The time in a webhook has up to seven digits behind the point.', sevenDigits()],
  ['wire 3.1', 'The body says nothing of its own success.', bodyHas('deliverySuccess', absent)],
  ['wire 3.1', 'The body has no other members.', delivers(({ json }) => same(true, members('id', 'eventType', 'webhookVersion', 'data', 'created').test(json)))],
  ['Events', 'The webhook is the event that is listed.', isTheEvent()],
  ['wire 3.5', 'Types that were not subscribed to do not come.', arrives(0, undefined, SECOND, { eventTypes: ['payment.created'] })],
  ['wire 3.5', 'A subscription without types gets nothing.', arrives(0, undefined, SECOND, { eventTypes: [] })],
  ['wire 3.5', 'A subscription that is off gets nothing.', arrives(0, undefined, SECOND, { enabled: false })],
  ['wire 3.5', 'A subscription that was turned off gets nothing.', afterChange({ enabled: false }, 0)],
  ['wire 3.5', 'A subscription that was removed gets nothing.', afterRemoval()],
  ['wire 3.5', 'A subscription whose types changed gets the new ones alone.', afterChange({ eventTypes: ['payout.created'] }, 0)],
  ['wire 3.5', 'After a change of the secret the new one signs.', afterChange({ secret: OTHER }, 1, signedBy(OTHER))],
  ['wire 3.5', 'After a change of the address webhooks go to the new one.', newAddress()],
  ['wire 3.5', 'Two subscriptions of a type get the same event.', bothGet()],
  ['wire 3.5', 'What another key of the account does is told too.', accountWide()],
  ['Delivery 1', 'After 200 an event is delivered.', successIs(true, answer(200))],
  ['Delivery 1', 'After 201 an event is delivered.', successIs(true, answer(201))],
  ['Delivery 1', 'After 204 an event is delivered.', successIs(true, answer(204))],
  ['Delivery 1', 'After 299 an event is delivered.', successIs(true, answer(299))],
  ['Event', 'While retries go on the success is a boolean: false.', successIs(false, answer(500))],
  ['Event', 'After a retry that succeeded the success is true.', successIs(true, answer(500, 200), 4 * SECOND)],
  ['Event', 'After 410 the success is false.', successIs(false, answer(410), SECOND)],
  ['Event', 'After the last retry the success is false.', successIs(false, answer(500), 12 * DAY)],
]);

const BASE = 3;

// biome-ignore format: one line a fact
export const retries = section('retries', [
  ['Delivery 1', 'What was delivered comes once.', arrives(1, answer(200), LONG)],
  ['Delivery 1', 'A 500 is a failure: it comes again.', arrives(2, answer(500), 4 * SECOND)],
  ['Delivery 1', 'A 404 is a failure.', arrives(2, answer(404), 4 * SECOND)],
  ['Delivery 1', 'A 400 is a failure.', arrives(2, answer(400), 4 * SECOND)],
  ['Delivery 1', 'A 401 is a failure.', arrives(2, answer(401), 4 * SECOND)],
  ['Delivery 1', 'A 429 is a failure.', arrives(2, answer(429), 4 * SECOND)],
  ['Delivery 1', 'A 503 is a failure.', arrives(2, answer(503), 4 * SECOND)],
  ['Delivery 1', 'A redirect is a failure.', arrives(2, answer(302), 4 * SECOND)],
  ['Delivery 1', 'A 304 is no success.', arrives(2, answer(304), 4 * SECOND)],
  ['Delivery 1', 'An answer within five seconds is in time.', arrives(1, () => ({ late: 4_500 }), 30 * SECOND)],
  ['Delivery 1', 'No answer within five seconds is a failure.', arrives(2, (count) => (count === 1 ? { never: true } : {}), 9 * SECOND)],
  ['Delivery 4', 'A 410 ends the retries.', arrives(1, answer(410), LONG)],
  ['Delivery 4', 'A 501 ends the retries.', arrives(1, answer(501), LONG)],
  ['Delivery 4', 'A 410 ends them later too.', arrives(3, answer(500, 500, 410), LONG)],
  ['Delivery 3', 'A success ends the retries.', arrives(3, answer(500, 500, 200), LONG)],
  ...Array.from({ length: 12 }, (_, at) => at + 1).map((number) => [
    'Delivery 2', `Retry ${number} comes ${BASE ** number} seconds after the failure before it.`, retryAt(number),
  ]),
  ['wire 3.3', 'After the twelfth retry there is no other.', arrives(13, answer(500), LONG)],
  ['Delivery 2', 'A retry has the very bytes of the first attempt.', sameAgain(({ body }) => body)],
  ['wire 3.2', 'A retry has the signature of the first attempt.', sameAgain(({ headers }) => headers['x-webhook-signature'])],
  ['wire 3.3', 'A retry has the headers of the first attempt and no more.', sameAgain(({ headers }) => Object.keys(headers).sort())],
]);
