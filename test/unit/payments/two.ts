// Two accounts of one sandbox, and what tests of payments ask again and again.
import { type Client, createClient } from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';

const BEGINNING = { BTC: '1', USD: '1000.00', EUR: '1000.00' };

export interface Two {
  readonly sandbox: Sandbox;
  /** Pays. */
  readonly client: Client;
  /** Is paid. */
  readonly shop: Client;
  readonly run: Sandbox['run'];
  /** Event types of an account, the oldest first. */
  events(of?: Client): Promise<string[]>;
  /** What an account has in a pot. */
  held(place: string, currency: string): string;
  /** Postings since the beginning money, as texts. */
  postings(): string[];
}

export const openTwo = (world: SandboxOptions = {}): Two => {
  const sandbox = createSandbox({
    signed: false,
    accounts: [
      { handle: 'payer', defaultCurrency: 'USD', balances: BEGINNING },
      { handle: 'shop', defaultCurrency: 'EUR', balances: BEGINNING },
    ],
    ...world,
  });
  const client = createClient(sandbox.clientOptions);
  const begun = sandbox.ledger.postings.length;
  return {
    sandbox,
    client,
    shop: createClient(
      sandbox.clientOptionsFor({ account: world.accounts?.at(-1)?.handle ?? 'shop' }),
    ),
    run: sandbox.run,
    async events(of = client) {
      return (await sandbox.run(of.events.list().toArray({ limit: 100 }))).map(
        ({ eventType }) => eventType,
      );
    },
    held: (place, currency) => sandbox.ledger.balances()[place]?.[currency] ?? 'none',
    postings: () =>
      sandbox.ledger.postings
        .slice(begun)
        .map(
          ({ why, from, to, amount, currency }) => `${why}: ${from} > ${to} ${amount} ${currency}`,
        ),
  };
};

/** Every currency sums to zero. */
export const sums = (sandbox: Sandbox): string[] =>
  ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD']
    .map((currency) => sandbox.ledger.total(currency))
    .filter((total) => /[1-9]/.test(total));
