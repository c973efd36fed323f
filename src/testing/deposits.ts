import { addMoney } from '../money/index.ts';
import type { Deposit, DepositFee } from '../resources/deposits.ts';
import { DepositFeeSchema, DepositSchema } from '../resources/deposits.schemas.ts';
import { feeOf, moneyOf } from './amounts.ts';
import { brokenSum, make, notYet } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { shapeOf } from '../resources/wire.ts';

/**
 * Makes a deposit: NEW, of 50.00 EUR; with a reason once it has FAILED.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @param options which one
 * @throws InputError naming the members that such a deposit cannot have
 * @example
 * const failed = makeDeposit({ state: 'FAILED' });
 */
export function makeDeposit(members: Members<Deposit> = {}, options: MakeOptions = {}): Deposit {
  return make(
    {
      name: 'makeDeposit',
      shape: shapeOf(DepositSchema),
      usual(chosen, { id }) {
        const { state = 'NEW' } = chosen;
        const { total, ...terms } = depositTerms(chosen);
        return {
          id: id('deposit'),
          ...terms,
          totalAmount: total,
          state,
          ...(state === 'FAILED' && { failureReason: 'DECLINED_BY_BANK' }),
        };
      },
      broken: (value) => [
        ...notYet(value, {
          NEW: ['failureReason'],
          PENDING: ['failureReason'],
          COMPLETED: ['failureReason'],
        }),
        brokenSum(['totalAmount', value.totalAmount], ['amount', value.amount], ['fee', value.fee]),
      ],
    },
    members,
    options,
  );
}

function depositTerms({
  amount,
  fee,
}: Members<Pick<DepositFee, 'amount' | 'fee'>>): Pick<DepositFee, 'amount' | 'fee' | 'total'> {
  const asked = moneyOf(amount, '50.00');
  const usualFee = feeOf(asked, '0.001');
  const cost = moneyOf(fee, usualFee.amount, usualFee.currency);
  const isSame = cost.currency === asked.currency;
  return { amount: asked, fee: cost, total: isSame ? addMoney(asked, cost) : asked };
}

/**
 * Makes the estimate of a deposit's fee: of 50.00 EUR, settled at once.
 *
 * @param members what is to be chosen; fee and total fit the amount
 * @throws InputError naming the members that such an estimate cannot have
 * @example
 * const estimate = makeDepositFee({ amount: { amount: '100.00' } });
 * console.log(estimate.total.amount); // '100.10'
 */
export function makeDepositFee(members: Members<DepositFee> = {}): DepositFee {
  return make(
    {
      name: 'makeDepositFee',
      shape: shapeOf(DepositFeeSchema),
      usual: (chosen) => ({ ...depositTerms(chosen), feePercent: '0.1', feeFixed: '0.00' }),
      broken: ({ amount, fee, total }) => [
        brokenSum(['total', total], ['amount', amount], ['fee', fee]),
      ],
    },
    members,
    {},
  );
}
