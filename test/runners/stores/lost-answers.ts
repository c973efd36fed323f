// Plays an inbox whose handler writes with `tx`, and loses the answer of one COMMIT.
import { createClient, ensureSubscription } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { type SqlDriver, sqlInboxStore } from 'paystate/stores';
import { createInbox } from 'paystate/webhooks';

const SECOND = 1_000;
const HOOK = 'a secret for the webhooks of tests';
export const HOOK_URL = 'https://shop.example/hooks/main';
export const BOUGHT = 2;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

/** Loses the answer of one COMMIT, once it is armed. */
export class Loss {
  #left: number;
  isArmed = false;
  constructor(which: number) {
    this.#left = which;
  }
  get hasHappened(): boolean {
    return this.#left <= 0;
  }
  readonly isNext = (): boolean => this.isArmed && --this.#left === 0;
  readonly check = (): void => {
    if (this.isNext()) throw new Error('the answer is lost');
  };
}

export interface Opened {
  readonly driver: SqlDriver;
  end(): Promise<void>;
}

/** Plays an inbox whose handler writes with `tx`; resolves to how often each payment was written. */
export async function playInbox(
  open: (loss: Loss) => Opened | Promise<Opened>,
  loss: Loss,
): Promise<readonly unknown[]> {
  const { driver, end } = await open(loss);
  let waiting = 0;
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    waiting += 1;
    return work.finally(() => (waiting -= 1));
  };
  const { transaction } = driver;
  const sandbox = createSandbox({ seed: 'lost', signed: false, deliver: (r) => inbox.handle(r) });
  const client = createClient(sandbox.clientOptions);
  const inbox = createInbox({
    ...{ client, secrets: HOOK },
    store: sqlInboxStore(
      {
        ...driver,
        batch: (list, options) => counted(driver.batch(list, options)),
        ...(transaction && { transaction: (work) => counted(transaction(work)) }),
      },
      { mayForget: true },
    ),
    on: { invoicePaid: (_, { key, tx }) => tx(({ run }) => run(INSERT(driver), key)) },
  });
  const idle = async (): Promise<void> => {
    do await new Promise((resolve) => setTimeout(resolve, driver.dialect === 'sqlite' ? 0 : 2));
    while (waiting > 0);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= SECOND) {
      await idle();
      await sandbox.advance(SECOND);
    }
    await idle();
  };
  await driver.batch([{ sql: 'CREATE TABLE shipped (key TEXT)', values: [] }]);
  const subscription = { webhookUrl: HOOK_URL, webhookVersion: 'v1', secret: HOOK, enabled: true };
  const eventTypes = ['invoice.updated'] as const;
  await sandbox.run(ensureSubscription(client, { ...subscription, eventTypes } as never));
  loss.isArmed = true;
  for (let n = 0; n < BOUGHT; n++)
    await sandbox.payer.pay((await sandbox.run(client.invoices.create(DRAFT))).invoiceId);
  await pass(5 * SECOND);
  for (let tries = 0; tries < 10; tries++) {
    void inbox.drain().catch(() => {});
    await pass(10 * SECOND);
  }
  loss.isArmed = false;
  const [rows] = await driver.batch([{ sql: COUNT, values: [] }]);
  await end();
  return rows!.map((row) => row['count']);
}

export const INSERT = ({ dialect }: SqlDriver): string =>
  `INSERT INTO shipped (key) VALUES (${dialect === 'sqlite' ? '?' : '$1'})`;
export const COUNT = 'SELECT CAST(count(*) AS INTEGER) AS count FROM shipped GROUP BY key';
