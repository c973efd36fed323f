import fc from 'fast-check';
import { asking, command, type Kind } from './command.ts';
import * as drawn from './drawn.ts';
import {
  cancelInvoice,
  createInvoice,
  createInvoiceFor,
  findInvoice,
  INVOICE_MOVES,
  invoiceShape,
  invoicesOf,
  listInvoices,
  moveByHand,
  moveInvoice,
  payInvoice,
  quoteInvoice,
  quotesOf,
} from './invoices.ts';
import { invalid, refused, unknown } from './answers.ts';
import { ask, during, NOBODY, outside, pick } from './play.ts';

const { at, caller, hold, money, seldom } = drawn;

const draft = fc
  .record({
    amount: fc.oneof(
      { weight: 30, arbitrary: money },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    correlationId: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      'one',
      'two',
      'three',
      'x'.repeat(41),
    ),
    description: fc.constantFrom(undefined, 'tea', 'ünï☕', 'y'.repeat(201)),
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as typeof given);

const filters: readonly (readonly [
  string,
  ((state: string, currency: string) => boolean) | undefined,
])[] = [
  ['', () => true],
  ["$filter=state eq 'PAID'", (state) => state === 'PAID'],
  [
    "$filter=currency eq 'EUR' and (state eq 'UNPAID' or state eq 'CANCELLED')",
    (state, currency) => currency === 'EUR' && /^(UNPAID|CANCELLED)$/.test(state),
  ],
  ["$filter=state in ('PENDING','REVERSED')", (state) => /^(PENDING|REVERSED)$/.test(state)],
  ["$filter=state eq PAID'", undefined],
  ['$orderby=amount', undefined],
  ['$select=state', undefined],
  ['page=2', undefined],
  ['orderby=created', undefined],
  ["$filter=state eq'PAID'", undefined],
];

export const invoiceCommands: readonly Kind[] = [
  command('create invoice', fc.record({ ...caller, draft }), (play, given) => {
    const { account, as } = asking(play, given);
    return ask(
      play,
      { account, as, method: 'POST', path: '/v1/invoices', body: given.draft },
      {
        shape: invoiceShape(given.draft),
        answer: () => createInvoice(play.model, account, account, given.draft),
      },
    );
  }),
  command(
    'create invoice for',
    fc.record({
      ...caller,
      draft,
      handle: fc.constantFrom('shop', 'cafe', 'trip', 'mute', 'none'),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      return ask(
        play,
        {
          account,
          as,
          method: 'POST',
          path: `/v1/invoices/handle/${given.handle}`,
          body: given.draft,
        },
        {
          shape: invoiceShape(given.draft),
          answer: () => createInvoiceFor(play.model, account, given.handle, given.draft),
        },
      );
    },
  ),
  command('cancel invoice', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const invoice = pick(invoicesOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'PATCH', path: `/v1/invoices/${invoice?.id ?? NOBODY}/cancel` },
      () => cancelInvoice(play.model, account, invoice),
    );
  }),
  command(
    'quote invoice',
    fc.record({
      ...caller,
      at,
      away: drawn.away('UNAVAILABLE'),
      hash: fc.constantFrom(undefined, undefined, 'ab'.repeat(32), 'no'),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const invoice = pick(invoicesOf(play.model), given.at);
      const isHashed = given.hash !== undefined;
      return during(play, 'lightning', given.away, () =>
        ask(
          play,
          {
            account,
            as,
            method: 'POST',
            path: `/v1/invoices/${invoice?.id ?? NOBODY}/quote`,
            ...(isHashed && { body: { descriptionHash: given.hash } }),
          },
          {
            shape: () => {
              if (given.hash === 'no') throw invalid('descriptionHash');
            },
            answer: () => quoteInvoice(play.model, account, invoice, isHashed),
          },
        ),
      );
    },
  ),
  command('find invoice', fc.record({ ...caller, at }), (play, given) => {
    const { account, as } = asking(play, given);
    const invoice = pick(invoicesOf(play.model), given.at);
    return ask(
      play,
      { account, as, method: 'GET', path: `/v1/invoices/${invoice?.id ?? NOBODY}` },
      () => findInvoice(account, invoice),
    );
  }),
  command(
    'list invoices',
    fc.record({
      ...caller,
      filter: fc.nat(filters.length - 1),
      top: fc.constantFrom(0, 1, 3, 100),
      skip: fc.constantFrom(0, 0, 2),
    }),
    (play, given) => {
      const { account, as } = asking(play, given);
      const [filter, keep] = filters[given.filter]!;
      return ask(
        play,
        {
          account,
          as,
          method: 'GET',
          path: `/v1/invoices?${encodeURI(filter)}${filter && '&'}$top=${given.top}&$skip=${given.skip}`,
        },
        () => {
          if (!keep || given.top === 0) throw refused('INVALID_DATA_QUERY');
          return listInvoices(
            play.model,
            account,
            ({ state, amount }) => keep(state, amount.currency),
            given.top,
            given.skip,
          );
        },
      );
    },
  ),
  command(
    'somebody pays',
    fc.record({ at, isQuote: seldom, hold, fails: seldom }),
    async (play, { at: place, isQuote, ...how }) => {
      const { model, real } = play;
      const target = isQuote
        ? pick(
            quotesOf(model).filter(({ id }) => id !== ''),
            place,
          )
        : pick(invoicesOf(model), place);
      const id = (target && 'text' in target && place % 2 ? target.text : target?.id) ?? NOBODY;
      if (!target)
        return outside(
          play,
          'pay nobody',
          () => {
            throw unknown();
          },
          () => real.sandbox.payer.pay(real.sandbox.payer.createAddress()),
        );
      await outside(
        play,
        'pay invoice',
        () => payInvoice(model, target, how),
        () =>
          real.begun(
            real.sandbox.payer.pay(id, { pendingFor: how.hold, fails: how.fails }),
            how.hold > 0,
          ),
      );
    },
  ),
  command('reverse invoice', fc.record({ at }), (play, given) => {
    const invoice = pick(invoicesOf(play.model), given.at);
    return outside(
      play,
      'reverse invoice',
      () => {
        if (!invoice) throw unknown();
        if (invoice.state !== 'PAID') throw refused('UNPROCESSABLE_ENTITY');
        moveInvoice(play.model, invoice, 'REVERSED');
      },
      () => play.real.sandbox.payer.reverse(invoice?.id ?? NOBODY),
    );
  }),
  command(
    'move invoice',
    fc.record({
      at,
      state: fc.constantFrom('PENDING', 'UNPAID', 'CANCELLED', 'PAID', 'PAID', 'REVERSED', 'LOST'),
    }),
    (play, { at: place, state }) => {
      const invoice = pick(invoicesOf(play.model), place);
      return outside(
        play,
        'move invoice',
        () => {
          if (!invoice) throw unknown();
          if (!INVOICE_MOVES[invoice.state]!.includes(state)) throw refused('UNPROCESSABLE_ENTITY');
          moveByHand(play.model, invoice, state);
        },
        () => play.real.sandbox.move('invoice', invoice?.id ?? NOBODY, state),
      );
    },
  ),
];
