import { RefusedError, serviceCodes, type ServiceCode } from '../../core/errors/index.ts';
import { invoiceStates, type InvoiceState } from '../../resources/invoices.ts';
import type { StateMachine } from '../../resources/resource.ts';
import { paymentStates } from '../../resources/payments.ts';
import { receiveStates } from '../../resources/receive-requests.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { World } from '../world/world.ts';
import { bankPaymentMethods, moveBankMethod } from './bank-payment-methods.ts';
import { deposits, moveDeposit } from './deposits.ts';
import { exchangeQuotes, moveExchange } from './currency-exchange-quotes.ts';
import { allInvoices, moveInvoiceByHand } from './invoice-store.ts';
import { allPayments, endPayment } from './payments.ts';
import { moveOriginator, originators } from './payout-originators.ts';
import { movePayout, payouts } from './payouts.ts';
import { endReceive, requestStore } from './receive-store.ts';
import type { Entity, Repository } from './repository.ts';

/** Moves one entity to a state, with postings and events, as the world outside would. */
type Mover = (world: World, id: string, state: string) => void;

/** Subjects that `Sandbox.move` can move. */
export type Movable =
  | 'invoice'
  | 'payment'
  | 'receive'
  | 'currencyExchangeQuote'
  | 'bankPaymentMethod'
  | 'payoutOriginator'
  | 'payout'
  | 'deposit';

const MOVERS: Readonly<Record<Movable, Mover>> = {
  invoice(world, id, state) {
    const invoice = allInvoices(world).get(id);
    if (!invoice) throw moveRefusal('NOT_FOUND', 'no invoice has this id');
    if (!invoiceStates.canMove(invoice.state, state))
      throw moveRefusal(
        'UNPROCESSABLE_ENTITY',
        `an invoice does not move from ${invoice.state} to ${state}`,
      );
    moveInvoiceByHand(world, invoice, state as InvoiceState);
  },
  payment: (world, id, state) =>
    endPayment(world, movable(allPayments(world).get(id), paymentStates, state), state),
  currencyExchangeQuote: moverOf(exchangeQuotes, moveExchange),
  bankPaymentMethod: moverOf(bankPaymentMethods, moveBankMethod),
  payoutOriginator: moverOf(originators, moveOriginator),
  payout: moverOf(payouts, movePayout),
  deposit: moverOf(deposits, moveDeposit),
  receive(world, id, state) {
    const receive = movable(requestStore(world).receives.get(id), receiveStates, state);
    if (receive.type === 'P2P')
      throw moveRefusal('UNPROCESSABLE_ENTITY', 'it ends with the payment of the other account');
    endReceive(world, receive);
  },
};

/** All that can be moved. */
export const MOVABLE: readonly Movable[] = /* @__PURE__ */ Object.keys(MOVERS) as Movable[];

/**
 * Moves an entity of a repository, also to states that usually a command leads to, such as
 * INITIATED.
 */
function moverOf<T extends Entity>(
  repository: Repository<T>,
  act: (world: World, item: T, state: string) => void,
): Mover {
  return (world, id, state) =>
    act(world, movable(repository.any(world, id), repository.states, state), state);
}

/** Finds each subject by its id. */
const FINDS: Readonly<
  Record<Movable, (world: World, id: string) => { readonly state: string } | undefined>
> = {
  invoice: (world, id) => allInvoices(world).get(id),
  payment: (world, id) => allPayments(world).get(id),
  receive: (world, id) => requestStore(world).receives.get(id),
  currencyExchangeQuote: (world, id) => exchangeQuotes.any(world, id),
  bankPaymentMethod: (world, id) => bankPaymentMethods.any(world, id),
  payoutOriginator: (world, id) => originators.any(world, id),
  payout: (world, id) => payouts.any(world, id),
  deposit: (world, id) => deposits.any(world, id),
};

/** The state in which a subject is now; absent where nothing has this id. */
export function stateOfSubject(world: World, subject: Movable, id: string): string | undefined {
  return FINDS[subject](world, id)?.state;
}

/** The subject, if it is there and may move so. */
function movable<T extends { readonly state: string }>(
  entity: T | undefined,
  states: StateMachine<string>,
  to: string,
): T {
  if (!entity) throw moveRefusal('NOT_FOUND', 'nothing has this id');
  if (!states.canMove(entity.state, to))
    throw moveRefusal('UNPROCESSABLE_ENTITY', `it does not move from ${entity.state} to ${to}`);
  return entity;
}

/** Does what banks and networks decide: fails, approves, returns, reverses. */
export function move(world: World, subject: Movable, id: string, state: string): void {
  try {
    MOVERS[subject](world, id, state);
  } catch (thrown) {
    throw thrown instanceof ServiceRefusal
      ? moveRefusal(thrown.code, `it cannot be ${state}`)
      : thrown;
  }
}

/** Why the world does not do it. */
function moveRefusal(code: ServiceCode, text: string): RefusedError {
  return new RefusedError(`sandbox: ${text}`, {
    code,
    outcome: 'not-done',
    status: serviceCodes[code],
  });
}
