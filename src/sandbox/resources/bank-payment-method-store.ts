import type { Money } from '../../money/index.ts';
import {
  type BankPaymentMethodDraft,
  type BankPaymentMethodState,
  bankPaymentMethodStates,
  type SupportedAction,
  type TransferType,
} from '../../resources/bank-payment-methods.ts';
import { ServiceRefusal } from '../world/refusals.ts';
import type { Account, World } from '../world/world.ts';
import { BANK_FORMS } from './bank-transfer-types.ts';
import { emit } from './events.ts';
import { type Entity, type Repository, createRepository } from './repository.ts';

export interface StoredBankMethod extends Entity {
  readonly draft: BankPaymentMethodDraft;
  readonly transferType: TransferType;
  readonly currency: Money['currency'];
  readonly referenceCode: string | undefined;
  state: BankPaymentMethodState;
}

export const bankPaymentMethods: Repository<StoredBankMethod> = createRepository(
  'bank-method',
  bankPaymentMethodStates,
);

/** Moves a bank method to its next state, with its event. */
export function moveBankMethod(world: World, method: StoredBankMethod, to: string): void {
  method.state = to as BankPaymentMethodState;
  emit(world, method.account, 'payment-method.bank.updated', method.id, ['state']);
}

/** The method that a draft names, fit for what it is to do. */
export function usableMethod(
  world: World,
  account: Account,
  id: string,
  action: SupportedAction,
): StoredBankMethod {
  const method = bankPaymentMethods.named(world, account, id);
  if (!BANK_FORMS[method.transferType].actions.includes(action))
    throw new ServiceRefusal('UNSUPPORTED_PAYMENT_METHOD');
  requireReady(method);
  return method;
}

/** Refuses one that is not ready yet, and in other words one that never will be. */
export function requireReady({ state }: StoredBankMethod): void {
  if (state === 'INVALID' || state === 'INACTIVE')
    throw new ServiceRefusal('INVALID_PAYMENT_METHOD');
  if (state !== 'READY') throw new ServiceRefusal('PAYMENT_METHOD_NOT_READY');
}
