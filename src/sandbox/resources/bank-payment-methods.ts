import type { Violation } from '../../core/errors/index.ts';
import * as rows from '../../generated/endpoints/bank-payment-methods.ts';
import type { Money } from '../../money/index.ts';
import type { CurrencyCode } from '../../resources/amounts.ts';
import {
  type BankPaymentMethod,
  type BankPaymentMethodDraft,
  type BankPaymentMethodState,
  bankPaymentMethodStates,
  type SupportedAction,
  type TransferType,
} from '../../resources/bank-payment-methods.ts';
import { requireCurrency } from '../ledger/amounts.ts';
import { assumedTime } from '../provenance/alternatives.ts';
import { recordUse } from '../provenance/recorder.ts';
import { makePlainPage } from '../query/lists.ts';
import { textOfTicks } from '../time/instants.ts';
import { toHex, type Account, getStore, type World } from '../world/world.ts';
import { invalidData, missingValue, ServiceRefusal, wrongValue } from '../world/responses.ts';
import { type Entity, EntityStore } from './entity-store.ts';
import { emit } from './events.ts';
import { partyViolations, showAddress, showParty } from './payout-originators.ts';
import { type ResourceRoute, makeRoutes } from './repository.ts';

interface BankForm {
  readonly actions: readonly SupportedAction[];
  readonly accountNumber: RegExp;
  /** Number of digits in the routing number. Absent if the bank uses a BIC instead. */
  readonly routingDigits?: number;
}

const BANK_FORMS: Readonly<Record<TransferType, BankForm>> = {
  ACH: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^\d{4,17}$/, routingDigits: 9 },
  US_DOMESTIC_WIRE: { actions: ['WITHDRAWAL'], accountNumber: /^\d{4,17}$/, routingDigits: 9 },
  SEPA: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^[A-Z]{2}\d\d[A-Z\d]{11,30}$/ },
  FPS: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^\d{8}$/, routingDigits: 6 },
  BSB: { actions: ['WITHDRAWAL'], accountNumber: /^\d{5,9}$/, routingDigits: 6 },
};

function formViolations({
  transferType,
  accountNumber,
  routingNumber,
  accountType,
}: BankPaymentMethodDraft): readonly Violation[] {
  if (!Object.hasOwn(BANK_FORMS, transferType)) return [wrongValue('transferType', 'is not known')];
  const form = BANK_FORMS[transferType as TransferType];
  return [
    ...(form.accountNumber.test(accountNumber.replaceAll(' ', ''))
      ? []
      : [wrongValue('accountNumber', `does not fit ${transferType}`)]),
    ...routingViolations(form, routingNumber),
    ...(accountType === undefined || /^(CHECKING|SAVINGS)$/.test(accountType)
      ? []
      : [wrongValue('accountType', 'must be CHECKING or SAVINGS')]),
  ];
}

function routingViolations(
  { routingDigits }: BankForm,
  routingNumber: string | undefined,
): readonly Violation[] {
  if (routingDigits === undefined) {
    const fits =
      routingNumber === undefined || /^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/.test(routingNumber);
    return fits ? [] : [wrongValue('routingNumber', 'must be a BIC')];
  }
  if (!routingNumber) return [missingValue('routingNumber')];
  if (/^\d+$/.test(routingNumber) && routingNumber.length === routingDigits) return [];
  return [
    {
      field: 'routingNumber',
      code: 'INVALID_DATA_LENGTH',
      advice: `must have exactly ${routingDigits} digits`,
      values: { length: routingDigits },
    },
  ];
}

export interface StoredBankMethod extends Entity {
  readonly draft: BankPaymentMethodDraft;
  readonly transferType: TransferType;
  readonly currency: Money['currency'];
  readonly referenceCode: string | undefined;
  state: BankPaymentMethodState;
}

export const bankPaymentMethods: EntityStore<StoredBankMethod> = new EntityStore({
  name: 'bank-method',
  subject: 'bankPaymentMethod',
  states: bankPaymentMethodStates,
  event: 'payment-method.bank.updated',
  follow: {
    PENDING: (world) => ({
      state: 'READY',
      delay: assumedTime(world, 'bank-methods.outcome'),
      behaviour: 'bank-methods.outcome',
    }),
  },
});

/**
 * Returns a bank payment method if it supports the action. With `isReady`, it must also be ready to
 * use.
 */
export function usableMethod(
  world: World,
  account: Account,
  id: string,
  action: SupportedAction,
  isReady: boolean = true,
): StoredBankMethod {
  const method = bankPaymentMethods.resolve(world, account, id);
  if (!BANK_FORMS[method.transferType].actions.includes(action))
    throw new ServiceRefusal('UNSUPPORTED_PAYMENT_METHOD');
  if (isReady) requireReady(method);
  return method;
}

/**
 * Rejects a bank payment method that isn't ready. The error is different if it will never be ready.
 */
export function requireReady({ state }: StoredBankMethod): void {
  if (state === 'INVALID' || state === 'INACTIVE')
    throw new ServiceRefusal('INVALID_PAYMENT_METHOD');
  if (state !== 'READY') throw new ServiceRefusal('PAYMENT_METHOD_NOT_READY');
}

const CURRENCY_OF: Readonly<Record<TransferType, CurrencyCode>> = {
  ACH: 'USD',
  US_DOMESTIC_WIRE: 'USD',
  SEPA: 'EUR',
  FPS: 'GBP',
  BSB: 'AUD',
};

/** Maximum number of failed attempts to link a bank within ten minutes. */
const MOST_ATTEMPTS = 5;
const MINUTES = 600_000;

/** Links a US bank account. For testing, an all-zero account number fails. */
function link(world: World, account: Account, accountNumber: string): void {
  const failed = getStore<number[]>(world, `bank-method/${account.id}/failed`, () => []);
  const now = world.clock.now();
  if (failed.filter((at) => at > now - MINUTES).length >= MOST_ATTEMPTS)
    throw new ServiceRefusal('TOO_MANY_ATTEMPTS');
  if (!/^0+$/.test(accountNumber)) return;
  failed.push(now);
  throw new ServiceRefusal('PLAID_LINKING_FAILED');
}

function check(world: World, account: Account, draft: BankPaymentMethodDraft): TransferType {
  const violations = [
    ...formViolations(draft),
    ...draft.beneficiaries.flatMap((party, at) => partyViolations(`beneficiaries.${at}.`, party)),
  ];
  if (violations.length > 0) throw invalidData(violations);
  if (draft.transferType === 'ACH') link(world, account, draft.accountNumber);
  return draft.transferType as TransferType;
}

/**
 * Returns the deposit reference code. ACH deposits have none, because the service pulls them from
 * the bank.
 */
function makeReferenceCode(
  world: World,
  transferType: TransferType,
  id: string,
): string | undefined {
  const isPushed = transferType !== 'ACH' && BANK_FORMS[transferType].actions.includes('DEPOSIT');
  return isPushed
    ? toHex(world.random.bytes(`bank-method/${id}/reference`, 0))
        .slice(0, 10)
        .toUpperCase()
    : undefined;
}

function show({
  id,
  state,
  created,
  draft,
  transferType,
  currency,
  referenceCode,
}: StoredBankMethod): BankPaymentMethod {
  const {
    accountNumber,
    routingNumber = 'NOTPROVIDED',
    accountType,
    bankName,
    bankAddress,
    beneficiaries,
  } = draft;
  return {
    id,
    state,
    supportedActions: BANK_FORMS[transferType].actions,
    created: textOfTicks(created),
    transferType,
    accountNumber,
    routingNumber,
    ...(referenceCode !== undefined && { referenceCode }),
    ...(accountType !== undefined && { accountType }),
    ...(bankName !== undefined && { bankName }),
    ...(bankAddress && { bankAddress: showAddress(bankAddress) }),
    currency,
    beneficiaries: beneficiaries.map(showParty),
  };
}

export const routes: readonly ResourceRoute[] = makeRoutes<typeof rows>(rows, {
  create(world, { account, draft }) {
    const transferType = check(world, account, draft);
    const currency = CURRENCY_OF[transferType as TransferType];
    requireCurrency(account, 'transferType', currency);
    const id = bankPaymentMethods.newId(world);
    const method: StoredBankMethod = {
      id,
      account,
      created: world.stamp(),
      draft,
      transferType,
      currency,
      referenceCode: makeReferenceCode(world, transferType, id),
      state: 'PENDING',
    };
    bankPaymentMethods.add(world, method);
    emit(world, account, 'payment-method.bank.created', { entityId: id });
    bankPaymentMethods.follow(world, method, true);
    if (transferType === 'SEPA' && draft.routingNumber === undefined)
      recordUse(world, 'bank-methods.bic');
    return { body: show(method) };
  },
  get: (world, { account, where: { bankMethodId } }) => ({
    body: show(bankPaymentMethods.own(world, account, bankMethodId)),
  }),
  list(world, { account, where }) {
    const { supportedAction } = where;
    const all = bankPaymentMethods.list(world, account);
    const fitting =
      supportedAction === undefined
        ? all
        : all.filter(({ transferType }) =>
            BANK_FORMS[transferType].actions.includes(supportedAction as SupportedAction),
          );
    return { body: makePlainPage(fitting, where, show) };
  },
  remove(world, { account, where: { bankMethodId } }) {
    bankPaymentMethods.remove(world, account, bankMethodId);
    return { body: undefined };
  },
});
