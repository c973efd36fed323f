import type { Money } from '../../money/model.ts';
import type { Balance } from './model.ts';

/**
 * One figure of a balance with its currency; a deprecated one that the service sends no longer is
 * what took its place. Below zero after a reversal of what was spent.
 *
 * @example
 * const free = balanceOf(balance, 'available'); // { amount: '12.50', currency: 'EUR' }
 */
export function balanceOf(balance: Balance, figure: Exclude<keyof Balance, 'currency'>): Money {
  const amount = balance[figure] ?? (figure === 'outgoing' ? balance.reserved : balance.current);
  return { amount, currency: balance.currency };
}
