// What takes many commands to come to, done beforehand in some runs: banks that are verified, a sender that is approved.
import { createMethod, createOriginator, TRANSFERS } from './banks.ts';
import { advance } from './commands-world.ts';
import { ask, type Play } from './play.ts';

export const prepare = async (play: Play): Promise<void> => {
  const { model } = play;
  const account = model.accounts.get('shop')!;
  const party = {
    type: 'COMPANY',
    name: 'Shop',
    address: { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Street 1' },
  };
  for (const transferType of ['SEPA', 'ACH', 'FPS']) {
    const { number: accountNumber, routing: routingNumber } = TRANSFERS[transferType]!;
    const draft = {
      transferType,
      accountNumber,
      ...(routingNumber && { routingNumber }),
      ...(transferType === 'ACH' && { accountType: 'SAVINGS' }),
      beneficiaries: [party],
    };
    await ask(
      play,
      { account, method: 'POST', path: '/v1/payment-methods/bank', body: draft },
      () => createMethod(model, account, draft, { state: 'READY', after: 3_000 }),
    );
  }
  await ask(play, { account, method: 'POST', path: '/v1/payout-originators', body: party }, () =>
    createOriginator(model, account, true, { state: 'APPROVED', after: 5_000 }),
  );
  await advance(play, 6_000);
};
