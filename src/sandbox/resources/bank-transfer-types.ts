import type { Violation } from '../../core/errors/index.ts';
import type {
  BankPaymentMethodDraft,
  SupportedAction,
  TransferType,
} from '../../resources/bank-payment-methods.ts';

/** What a transfer type asks for. */
interface BankForm {
  readonly actions: readonly SupportedAction[];
  readonly accountNumber: RegExp;
  /** Exact number of digits of the routing number; absent where it is a BIC. */
  readonly routingDigits?: number;
}

export const BANK_FORMS: Readonly<Record<TransferType, BankForm>> = {
  ACH: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^\d{4,17}$/, routingDigits: 9 },
  US_DOMESTIC_WIRE: { actions: ['WITHDRAWAL'], accountNumber: /^\d{4,17}$/, routingDigits: 9 },
  SEPA: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^[A-Z]{2}\d\d[A-Z\d]{11,30}$/ },
  FPS: { actions: ['DEPOSIT', 'WITHDRAWAL'], accountNumber: /^\d{8}$/, routingDigits: 6 },
  BSB: { actions: ['WITHDRAWAL'], accountNumber: /^\d{5,9}$/, routingDigits: 6 },
};

/** Which fields of a draft its transfer type does not take. */
export function formViolations({
  transferType,
  accountNumber,
  routingNumber,
  accountType,
}: BankPaymentMethodDraft): readonly Violation[] {
  if (!Object.hasOwn(BANK_FORMS, transferType)) return [wrong('transferType', 'is not known')];
  const form = BANK_FORMS[transferType as TransferType];
  return [
    ...(form.accountNumber.test(accountNumber.replaceAll(' ', ''))
      ? []
      : [wrong('accountNumber', `does not fit ${transferType}`)]),
    ...routingViolations(form, routingNumber),
    ...(accountType === undefined || /^(CHECKING|SAVINGS)$/.test(accountType)
      ? []
      : [wrong('accountType', 'must be CHECKING or SAVINGS')]),
  ];
}

function routingViolations(
  { routingDigits }: BankForm,
  routingNumber: string | undefined,
): readonly Violation[] {
  if (routingDigits === undefined) {
    const fits =
      routingNumber === undefined || /^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/.test(routingNumber);
    return fits ? [] : [wrong('routingNumber', 'must be a BIC')];
  }
  if (!routingNumber)
    return [{ field: 'routingNumber', code: 'INVALID_DATA_REQUIRED', advice: 'is required' }];
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

function wrong(field: string, advice: string): Violation {
  return { field, code: 'INVALID_DATA_VALUE', advice };
}
