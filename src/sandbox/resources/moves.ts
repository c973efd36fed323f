import { RefusedError, serviceCodes, type ServiceCode } from '../../core/errors/index.ts';
import { invoiceStates } from '../../resources/invoices.ts';
import type { StateMachine } from '../../resources/resource.ts';
import { paymentStates } from '../../resources/payments.ts';
import { receiveStates } from '../../resources/receive-requests.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { World } from '../world/world.ts';
import { bankPaymentMethods } from './bank-payment-methods.ts';
import { deposits } from './deposits.ts';
import { exchangeQuotes } from './currency-exchange-quotes.ts';
import { allInvoices, moveInvoiceByHand } from './invoice-store.ts';
import { allPayments, endPayment } from './payments.ts';
import { originators } from './payout-originators.ts';
import { payouts } from './payouts.ts';
import { endReceive, requestStore, type StoredReceive } from './receive-store.ts';

/** Kind of resource that `Sandbox.move` can change. */
export type Movable =
  | 'invoice'
  | 'payment'
  | 'receive'
  | 'currencyExchangeQuote'
  | 'bankPaymentMethod'
  | 'payoutOriginator'
  | 'payout'
  | 'deposit';

interface Stated {
  readonly state: string;
}

interface Subject {
  readonly states: StateMachine<string>;
  find(world: World, id: string): Stated | undefined;
  /**
   * Changes a resource's state as a bank or a network would. Also allows states that usually result
   * from a request.
   */
  move(world: World, item: Stated, state: string): void;
}

const SUBJECTS: Readonly<Record<Movable, Subject>> = {
  invoice: {
    states: invoiceStates,
    find: (world, id) => allInvoices(world).get(id),
    move: moveInvoiceByHand,
  },
  payment: {
    states: paymentStates,
    find: (world, id) => allPayments(world).get(id),
    move: endPayment,
  },
  currencyExchangeQuote: exchangeQuotes,
  bankPaymentMethod: bankPaymentMethods,
  payoutOriginator: originators,
  payout: payouts,
  deposit: deposits,
  receive: {
    states: receiveStates,
    find: (world, id) => requestStore(world).receives.get(id),
    move(world, receive: StoredReceive) {
      if (receive.type === 'P2P')
        throw moveRefusal(
          'UNPROCESSABLE_ENTITY',
          "a P2P receive completes when the other account's payment does",
        );
      endReceive(world, receive);
    },
  },
};

/** All kinds of resources that `Sandbox.move` can change. */
export const MOVABLE: readonly Movable[] = /* @__PURE__ */ Object.keys(SUBJECTS) as Movable[];

/** Returns a resource's current state, or `undefined` if its id is unknown. */
export function stateOfSubject(world: World, subject: Movable, id: string): string | undefined {
  return SUBJECTS[subject].find(world, id)?.state;
}

export function move(world: World, subject: Movable, id: string, to: string): void {
  const kind = SUBJECTS[subject];
  const item = kind.find(world, id);
  if (!item) throw moveRefusal('NOT_FOUND', 'nothing has this id');
  if (!kind.states.canMove(item.state, to))
    throw moveRefusal('UNPROCESSABLE_ENTITY', `it cannot move from ${item.state} to ${to}`);
  try {
    kind.move(world, item, to);
  } catch (thrown) {
    throw thrown instanceof ServiceRefusal
      ? moveRefusal(thrown.code, `it cannot be ${to}`)
      : thrown;
  }
}

function moveRefusal(code: ServiceCode, text: string): RefusedError {
  return new RefusedError(`sandbox: ${text}`, {
    code,
    outcome: 'not-done',
    status: serviceCodes[code],
  });
}
