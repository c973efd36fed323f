import type { Id, Open } from '../../core/errors/index.ts';
import type { CurrencyCode } from '../amounts/model.ts';
import type { Address, Party } from '../parties/model.ts';
import type { BankPaymentMethodState } from './states.ts';

/** Id of a bank payment method. */
export type BankPaymentMethodId = Id<'bank-method'>;

/** How the money travels; the currency follows from it. */
export type TransferType = 'ACH' | 'US_DOMESTIC_WIRE' | 'SEPA' | 'FPS' | 'BSB';

/** What a bank method can be used for. */
export type SupportedAction = 'DEPOSIT' | 'WITHDRAWAL';

/** A bank account that money is paid out to or drawn from. */
export interface BankPaymentMethod {
  /** Id of the bank payment method. */
  readonly id: string;
  /** Used only while it is READY. */
  readonly state: Open<BankPaymentMethodState>;
  /** What it can be used for. */
  readonly supportedActions: readonly Open<SupportedAction>[];
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** How the money travels. */
  readonly transferType: Open<TransferType>;
  /** IBAN for SEPA. */
  readonly accountNumber: string;
  /** BIC for SEPA, sort code for FPS, BSB code for BSB. */
  readonly routingNumber: string;
  /** To be quoted in a bank transfer that is a deposit. */
  readonly referenceCode?: string | undefined;
  /** Of accounts in the USA. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** Name of the bank. */
  readonly bankName?: string | undefined;
  /** Address of the bank. */
  readonly bankAddress?: Address | undefined;
  /** Currency of its transfers. */
  readonly currency: Open<CurrencyCode>;
  /** Who owns the bank account. */
  readonly beneficiaries: readonly Party[];
}

/** What is needed to add a bank account. */
export interface BankPaymentMethodDraft {
  /** How the money travels; the currency follows from it. */
  readonly transferType: Open<TransferType>;
  /** IBAN for SEPA. */
  readonly accountNumber: string;
  /** Required for ACH and US_DOMESTIC_WIRE. BIC for SEPA, sort code for FPS, BSB code for BSB. */
  readonly routingNumber?: string | undefined;
  /** Required for ACH. */
  readonly accountType?: Open<'CHECKING' | 'SAVINGS'> | undefined;
  /** 1 to 150 characters. */
  readonly bankName?: string | undefined;
  /** Address of the bank. */
  readonly bankAddress?: Address | undefined;
  /** At least one; for SEPA and FPS the owner of the account must be among them. */
  readonly beneficiaries: readonly Party[];
}

/** Which bank methods to list. */
export interface BankPaymentMethodFilter {
  /** Those that can be used for this. */
  readonly supportedAction?: Open<SupportedAction> | undefined;
}
