import type { CurrencyCode } from '../../resources/amounts.ts';
import * as rows from '../../generated/endpoints/bank-payment-methods.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  SupportedAction,
  TransferType,
} from '../../resources/bank-payment-methods.ts';
import { type ResourceRoute, routesOf } from './handlers.ts';
import { plainPageOf } from '../query/lists.ts';
import { invalidData, notFound, ServiceRefusal } from '../world/refusals.ts';
import { requireCurrency } from '../ledger/amounts.ts';
import { hexOf } from '../world/randomness.ts';
import { recordUse } from '../provenance/recorder.ts';
import { textOfTicks } from '../time/instants.ts';
import { type Account, storeOf, type World } from '../world/world.ts';
import {
  bankPaymentMethods,
  moveBankMethod,
  type StoredBankMethod,
} from './bank-payment-method-store.ts';
import { BANK_FORMS, formViolations } from './bank-transfer-types.ts';
import { emit } from './events.ts';
import { partyViolations, showAddress, showParty } from './parties.ts';
import { scheduleTransition } from './repository.ts';

/** What each transfer type moves. */
const CURRENCY_OF: Readonly<Record<TransferType, CurrencyCode>> = {
  ACH: 'USD',
  US_DOMESTIC_WIRE: 'USD',
  SEPA: 'EUR',
  FPS: 'GBP',
  BSB: 'AUD',
};

/** How long a bank takes to verify an account. */
const VERIFIED = { state: 'READY', delay: 3_000, behaviour: 'bank-methods.outcome' } as const;

/** An account may fail to link a bank so often in ten minutes. */
const MOST_ATTEMPTS = 5;
const MINUTES = 600_000;

/** Banks of the United States are linked at once, or not at all. */
function link(world: World, account: Account, accountNumber: string): void {
  const failed = storeOf<number[]>(world, `bank-method/${account.id}/failed`, () => []);
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

/** A deposit by the customer's own transfer quotes a code; one by ACH is drawn. */
function referenceCodeOf(world: World, transferType: TransferType, id: string): string | undefined {
  const isPushed = transferType !== 'ACH' && BANK_FORMS[transferType].actions.includes('DEPOSIT');
  return isPushed
    ? hexOf(world.random.bytes(`bank-method/${id}/reference`, 0))
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

export const routes: readonly ResourceRoute[] = routesOf<typeof rows>(rows, {
  create(world, { account, draft }) {
    const transferType = check(world, account, draft);
    const currency = CURRENCY_OF[transferType as TransferType];
    requireCurrency(account, 'transferType', currency);
    const id = bankPaymentMethods.idOf(world);
    const method: StoredBankMethod = {
      id,
      account,
      created: world.stamp(),
      draft,
      transferType,
      currency,
      referenceCode: referenceCodeOf(world, transferType, id),
      state: 'PENDING',
    };
    bankPaymentMethods.add(world, method);
    emit(world, account, 'payment-method.bank.created', id);
    scheduleTransition(world, bankPaymentMethods, method, 'bankPaymentMethod', VERIFIED, (state) =>
      moveBankMethod(world, method, state),
    );
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
    return { body: plainPageOf(fitting, where, show) };
  },
  remove(world, { account, where: { bankMethodId } }) {
    const method = bankPaymentMethods.own(world, account, bankMethodId);
    if (method.state === 'INACTIVE') throw notFound();
    moveBankMethod(world, method, 'INACTIVE');
    return { body: undefined };
  },
});
