// Protects: an account object whose storage begins to fail while pages look at invoices ends nothing and confirms nothing, whatever
// is under way then; when the storage is back, the pages are true again.
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { after, before, describe, it } from '#test';
import { altered, record } from '../unit/state/shop.ts';
import { type Box, openObjects, type RelayObjects } from './relay-objects.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
  on: { invoicePaid: () => {} },
};
/** The storage is lost at one of so many answers to the object, at each in turn. */
const PLACES = 4;

/** What nobody has caught. */
const uncaught: unknown[] = [];
const note = (thrown: unknown): void => void uncaught.push(thrown);
before(() => process.on('unhandledRejection', note).on('uncaughtException', note));
after(() => process.off('unhandledRejection', note).off('uncaughtException', note));

interface Stage {
  readonly world: RelayObjects;
  readonly invoice: Invoice;
  /** What the service says of an invoice that is read alone. */
  readonly shown: { state: string | undefined };
  /** From now on the storage may be lost: where requests have this reason, at their answers. */
  lose(reason?: string): void;
}

interface Trouble {
  readonly isHooked?: true;
  /** What is lost; all. */
  readonly lost?: Box['lost'];
  /** Pages have been open for so long; three minutes. */
  readonly open?: number;
  run(stage: Stage): Promise<void>;
}

const TROUBLES: Readonly<Record<string, Trouble>> = {
  'a payment is seen that no webhook tells of': {
    async run({ world, invoice, lose }) {
      lose();
      await world.pay(invoice);
    },
  },
  'it begins anew after it was put out of memory': {
    async run({ world, invoice, lose }) {
      await world.pay(invoice);
      world.account.evict();
      lose();
      await world.sandbox.run(world.account.living.alarm().catch(() => {}));
    },
  },
  'it begins for the first time': {
    isHooked: true,
    async run({ world, lose }) {
      world.account.wipe();
      lose();
    },
  },
  'a webhook ends its watching': {
    isHooked: true,
    lost: 'alarm',
    open: 10 * SECOND,
    async run({ world, invoice, lose }) {
      lose();
      await world.pay(invoice);
    },
  },
  'it looks at all because the service is back': {
    isHooked: true,
    async run({ world: { sandbox }, lose }) {
      const end = sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
      await sandbox.advance(4 * MINUTE);
      end();
      lose('checks of 2, in one list');
    },
  },
  'it looks at several by one list': {
    isHooked: true,
    async run({ lose }) {
      lose('checks of 2, in one list');
    },
  },
  'it reads again a state that was left': {
    lost: 'writes',
    async run({ world: { sandbox, account, ask, pay }, invoice, shown, lose }) {
      await pay(invoice);
      await sandbox.advance(30 * SECOND);
      shown.state = 'HELD';
      await sandbox.advance(6 * SECOND);
      await ask(invoice.invoiceId, 'GET');
      await sandbox.advance(SECOND);
      shown.state = undefined;
      account.evict();
      await sandbox.run(account.living.alarm());
      lose('a check');
    },
  },
};

/** Two pages, one of each invoice; the storage is lost at this answer. Returns whether it was. */
async function play(
  { isHooked, lost = 'all', open, run }: Trouble,
  place: number,
): Promise<boolean> {
  let onAnswer = (): void => {};
  const shown: Stage['shown'] = { state: undefined };
  const answers = async (url: string, ask: () => Promise<Response>): Promise<Response> => {
    const answer = await ask();
    onAnswer();
    return shown.state && /\/v1\/invoices\/[^/]+$/.test(url)
      ? altered(answer, (given: Invoice) => ({ ...given, state: shown.state! }))
      : answer;
  };
  const world = openObjects(answers, isHooked && HOOKED);
  const { sandbox, account, sent } = world;
  const invoices = [await world.invoice(), await world.invoice()];
  const pages = invoices.map(({ invoiceId }) =>
    record(watchInvoice(world.page(invoiceId).client, invoiceId)),
  );
  const pongs = () => invoices.map(({ invoiceId }) => world.room(invoiceId).pong);
  await sandbox.advance(open ?? 3 * MINUTE);
  let left = place;
  const lose: Stage['lose'] = (reason) => {
    onAnswer = () => {
      if ((!reason || sent.at(-1)!.reason === reason) && --left === 0) account.lost = lost;
    };
  };
  await run({ world, invoice: invoices[0]!, shown, lose });
  await sandbox.advance(MINUTE);
  if (account.lost === 'nothing') return false;
  const said = pongs();
  await sandbox.advance(MINUTE);
  if (lost === 'all') expect(pongs()).to.deep.equal(said);
  account.lost = 'nothing';
  await sandbox.advance(3 * MINUTE);
  for (const [at, { invoiceId }] of invoices.entries()) {
    const { freshness, value } = pages[at]!.values.at(-1)!;
    const { state } = await sandbox.run(world.client.invoices.get(invoiceId));
    expect({ freshness, state: value.state }).to.deep.equal({ freshness: 'live', state });
  }
  for (const { stop } of pages) stop();
  return true;
}

describe('an account object whose storage is lost', () => {
  for (const [what, trouble] of Object.entries(TROUBLES))
    it(`while ${what} ends nothing, and confirms nothing until it is back`, async () => {
      let place = 1;
      while (place <= PLACES && (await play(trouble, place))) place++;
      expect(place, 'answers at which it was lost').to.be.above(1);
      expect(uncaught).to.deep.equal([]);
    });
});
