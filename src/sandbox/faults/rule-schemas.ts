import * as v from 'valibot';
import { type ServiceCode, serviceCodes } from '../../core/errors/index.ts';
import { bankPaymentMethodStates } from '../../resources/bank-payment-methods.ts';
import { currencyExchangeQuoteStates } from '../../resources/currency-exchange-quotes.ts';
import { depositStates } from '../../resources/deposits.ts';
import { eventTypes } from '../../resources/events.types.ts';
import { paymentStates } from '../../resources/payments.ts';
import { payoutOriginatorStates } from '../../resources/payout-originators.ts';
import { payoutStates } from '../../resources/payouts.ts';
import { receiveStates } from '../../resources/receive-requests.ts';
import type { StateMachine } from '../../resources/resource.ts';
import {
  durationSchema,
  flagSchema,
  kindSchema,
  mayBe,
  type MembersOf,
  membersSchema,
  numberSchema,
  textSchema,
  wholeSchema,
  wordSchema,
} from '../world/checked.ts';
import type {
  AnyFaultRule,
  DeliveryFault,
  DeliveryFaultRule,
  EventFault,
  EventFaultRule,
  FaultAction,
  FaultRule,
  InsteadAction,
  RuleConditions,
  StateRule,
  StateSubject,
} from './rules.ts';
import { type Rewrite, rewriteNames } from './rewrite.ts';

const COUNT = 'must be a whole number, 1 or more, or a list of them';
const countSchema = wholeSchema(COUNT, 1);
const instantSchema = numberSchema('must be a time in milliseconds since 1970');
const statusSchema = wholeSchema('must be a status from 200 to 599', 200, 599);

const conditions = {
  nth: mayBe(
    v.lazy(
      (input): v.GenericSchema<unknown, number | readonly number[]> =>
        Array.isArray(input) ? v.pipe(v.array(countSchema), v.nonEmpty(COUNT)) : countSchema,
    ),
  ),
  skip: mayBe(wholeSchema('must be a whole number, 0 or more', 0)),
  probability: mayBe(numberSchema('must be from 0 to 1', 0, 1)),
  from: mayBe(instantSchema),
  to: mayBe(instantSchema),
} satisfies MembersOf<RuleConditions>;

/**
 * Maps field names used in earlier versions or other tools to their current names, for error
 * messages.
 */
const MEANT: Readonly<Record<string, string>> = {
  times: 'nth',
  after: 'delay',
  url: 'path',
  verb: 'method',
  noun: 'subject',
  resource: 'subject',
  outcome: 'state',
  fault: 'action',
  type: 'eventType',
};

const headersSchema: v.GenericSchema<unknown, Readonly<Record<string, string>>> = v.record(
  v.string(),
  textSchema,
  'must be an object whose values are strings',
);

const rewriteSchema = kindSchema<Rewrite>(
  {
    page: membersSchema({ page: wholeSchema('must be a whole number, 0 or more', 0) }),
    count: membersSchema({
      count: v.lazy(
        (input): v.GenericSchema<unknown, number | 'unknown' | 'absent'> =>
          typeof input === 'number'
            ? v.number()
            : wordSchema(['unknown', 'absent'], '"unknown", "absent" or a number'),
      ),
    }),
    digits: membersSchema({
      digits: v.lazy(
        (input): v.GenericSchema<unknown, number | 'varied'> =>
          typeof input === 'number'
            ? wholeSchema('must be a number of digits, 0 or more', 0)
            : wordSchema(['varied'], '"varied" or a number of digits'),
      ),
    }),
    date: membersSchema({ date: numberSchema('must be a number of milliseconds') }),
    as: membersSchema({ as: wholeSchema('must be a status from 200 to 299', 200, 299) }),
    headers: membersSchema({
      headers: v.record(
        v.string(),
        v.nullable(v.string('must be a string or null')),
        'must be an object whose values are strings',
      ),
    }),
  },
  wordSchema(rewriteNames),
);

const insteadSchema = membersSchema({
  status: statusSchema,
  code: mayBe(
    wordSchema(
      Object.keys(serviceCodes) as ServiceCode[],
      'an error code of the service; pass any other code as extra.code',
    ),
  ),
  values: mayBe(v.record(v.string(), v.unknown(), 'must be an object')),
  debug: mayBe(membersSchema({ full: textSchema, body: mayBe(textSchema) })),
  html: mayBe(textSchema),
  headers: mayBe(headersSchema),
  processed: mayBe(flagSchema),
  extra: mayBe(v.looseObject({ code: mayBe(textSchema) }, 'must be an object')),
} satisfies MembersOf<InsteadAction>);

const actionSchema = kindSchema<FaultAction>(
  {
    status: insteadSchema,
    delay: membersSchema({ delay: durationSchema, processed: mayBe(flagSchema) }),
    drip: membersSchema({ drip: durationSchema }),
    padding: membersSchema({ padding: wholeSchema('must be a number of bytes, 0 or more', 0) }),
    stale: membersSchema({ stale: durationSchema }),
    rewrite: membersSchema({ rewrite: rewriteSchema }),
  },
  wordSchema([
    'lost-before',
    'lost-after',
    'cut-body',
    'duplicated',
    'duplicated-last',
    'undecodable',
    'unstable-ties',
  ]),
);

const deliverySchema = kindSchema<DeliveryFault>(
  {
    status: membersSchema({ status: statusSchema }),
    delay: membersSchema({ delay: durationSchema }),
  },
  wordSchema([
    'lost-before',
    'lost-after',
    'duplicated',
    'reordered',
    'bad-signature',
    'old-secret',
    'lower-case',
    'no-signature',
    'reserialised',
    'unknown-type',
    'unknown-version',
    'huge',
  ]),
);

const eventSchema = kindSchema<EventFault>(
  {
    ahead: membersSchema({ ahead: numberSchema('must be a number of milliseconds') }),
    late: membersSchema({ late: durationSchema }),
  },
  wordSchema(['tied']),
);

const eventTypeSchema = wordSchema(Object.keys(eventTypes), 'a type of event');

const textOfPath = v.pipe(textSchema, v.regex(/^[/*]/, 'must begin with "/" or "*"'));

const requestRuleSchema = membersSchema(
  Object.assign({}, conditions, {
    method: mayBe(wordSchema(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])),
    path: mayBe(textOfPath),
    account: mayBe(textSchema),
    action: actionSchema,
  }) satisfies MembersOf<FaultRule>,
  MEANT,
);

const deliveryRuleSchema = membersSchema(
  Object.assign({}, conditions, {
    delivery: deliverySchema,
    eventType: mayBe(eventTypeSchema),
    attempt: mayBe(wholeSchema('must be the number of an attempt, from 1 to 13', 1, 13)),
    webhookUrl: mayBe(textSchema),
  }) satisfies MembersOf<DeliveryFaultRule>,
  MEANT,
);

const eventRuleSchema = membersSchema(
  Object.assign({}, conditions, {
    event: eventSchema,
    eventType: mayBe(eventTypeSchema),
  }) satisfies MembersOf<EventFaultRule>,
  MEANT,
);

const listStates = (states: StateMachine<string>): readonly string[] =>
  Object.keys(states.transitions);
const AVAILABILITY = ['AVAILABLE', 'UNAVAILABLE'];
const STATES: Readonly<Record<StateSubject, readonly string[]>> = {
  payment: listStates(paymentStates).concat('LN_ROUTE_NOT_FOUND', 'PROCESSING_CONFLICT'),
  currencyExchangeQuote: listStates(currencyExchangeQuoteStates),
  bankPaymentMethod: listStates(bankPaymentMethodStates),
  payoutOriginator: listStates(payoutOriginatorStates),
  payout: listStates(payoutStates),
  deposit: listStates(depositStates),
  receive: listStates(receiveStates),
  rates: AVAILABILITY,
  lightning: AVAILABILITY,
  service: AVAILABILITY.concat('MAINTENANCE'),
};

const stateRuleMembers = Object.assign({}, conditions, {
  subject: wordSchema(Object.keys(STATES) as StateSubject[]),
  state: mayBe(textSchema),
  delay: mayBe(durationSchema),
}) satisfies MembersOf<StateRule>;

const stateRuleSchema: v.GenericSchema<unknown, StateRule> = v.lazy((input) => {
  const { subject } = input as { readonly subject: StateSubject };
  const states = Object.hasOwn(STATES, subject) ? STATES[subject] : [];
  const members = states.length > 0 ? { state: mayBe(wordSchema(states)) } : {};
  return v.pipe(
    membersSchema({ ...stateRuleMembers, ...members }, MEANT),
    v.check(
      ({ state, delay }) => state !== undefined || delay !== undefined,
      'must set state, delay or both, or it changes nothing',
    ),
  );
});

/**
 * Schema for every kind of fault rule. The `action`, `delivery`, `event` or `subject` field
 * determines the kind.
 */
export const faultRuleSchema: v.GenericSchema<unknown, AnyFaultRule> = kindSchema<AnyFaultRule>(
  {
    action: requestRuleSchema,
    delivery: deliveryRuleSchema,
    event: eventRuleSchema,
    subject: stateRuleSchema,
  },
  undefined,
  MEANT,
);
