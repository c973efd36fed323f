// The reference model: what the service is believed to do, as plain tables. It shares no code with the package.
import { across, quotient, type Sum } from './decimals.ts';

export interface Account {
  readonly handle: string;
  readonly currencies: readonly string[];
  readonly home: string;
  readonly isPrivate: boolean;
  readonly canReceive: boolean;
  readonly travelRule: boolean;
  /** Milliseconds from the beginning in which nothing is ready. */
  readonly readyAfter: number;
  id: string;
}

/** Whatever the service gives an id. The model learns it from the answer that makes it, or from its first event. */
export interface Entity {
  id: string;
}

/** An event that must stand in the feed of an account. */
export interface FeedEntry {
  readonly at: number;
  readonly type: string;
  readonly about: Entity;
  readonly changes: readonly string[] | undefined;
  readonly receive: Entity | undefined;
}

/** One line of a posting; `debt`: it may leave less than nothing. */
export interface Line {
  readonly from: string;
  readonly to: string;
  readonly money: Sum;
  readonly debt?: true;
}

/** What must be looked at after a command: an address of the service, and what it must say there. */
export interface Look {
  readonly account: Account;
  readonly path: string;
  readonly shown: object | undefined;
  /** Ids that nothing else tells. */
  readonly learn?: (body: never) => void;
}

export const CURRENCIES = ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD'] as const;

interface Due {
  readonly at: number;
  readonly act: () => void;
}

export class Model {
  now: number;
  /** By pair, such as `BTC/EUR`: what the ticker says at this moment. */
  rates: ReadonlyMap<string, string> = new Map();
  readonly accounts: ReadonlyMap<string, Account>;
  readonly pots = new Map<string, bigint>();
  readonly feeds = new Map<Account, FeedEntry[]>();
  /** Looks of what has changed since the last comparison, by entity. */
  readonly changed = new Map<Entity, () => readonly Look[]>();
  /** Whatever a resource keeps. */
  readonly tables = new Map<string, unknown>();
  /** What somebody says of the world at this moment, such as `lightning AWAY`. */
  readonly away = new Set<string>();
  readonly start: number;
  /** What reversals have taken, per account and currency: the most that may be owed. */
  readonly reversed = new Map<string, bigint>();
  #agenda: Due[] = [];

  constructor(now: number, accounts: readonly Account[]) {
    this.now = now;
    this.start = now;
    this.accounts = new Map(accounts.map((account) => [account.handle, account]));
    for (const account of accounts) this.feeds.set(account, []);
  }

  table<T>(name: string, make: () => T): T {
    if (!this.tables.has(name)) this.tables.set(name, make());
    return this.tables.get(name) as T;
  }

  /** What a bitcoin costs at this moment, as the ticker says. */
  price(currency: string): string {
    return this.rates.get(`BTC/${currency}`) ?? '1';
  }

  /** Money in another currency at the prices of this moment. */
  convert(money: Sum, to: string, rounding: 'up' | 'down'): Sum {
    const prices = [this.price(money.currency), this.price(to)] as const;
    return money.currency === to ? money : across(money, prices, to, rounding);
  }

  /** A rate as it is printed: four digits, eight where it leads to bitcoin. */
  rate(source: string, target: string): string {
    return quotient(this.price(target), this.price(source), target === 'BTC' ? 8 : 4);
  }

  free({ handle }: Account, currency: string): bigint {
    return this.pots.get(`${handle}.free ${currency}`) ?? 0n;
  }

  /** Whether the service speaks to an account yet. */
  isReady({ readyAfter }: Account): boolean {
    return this.now >= this.start + readyAfter;
  }

  /** Books all lines or none; false where an account has not enough. */
  post(lines: readonly Line[]): boolean {
    const after = new Map<string, bigint>();
    const held = (key: string): bigint => after.get(key) ?? this.pots.get(key) ?? 0n;
    for (const {
      from,
      to,
      money: { units, currency },
      debt,
    } of lines) {
      after.set(`${from} ${currency}`, held(`${from} ${currency}`) - units);
      if (from.includes('.') && !debt && held(`${from} ${currency}`) < 0n) return false;
      after.set(`${to} ${currency}`, held(`${to} ${currency}`) + units);
      if (debt)
        this.reversed.set(
          `${from} ${currency}`,
          (this.reversed.get(`${from} ${currency}`) ?? 0n) + units,
        );
    }
    for (const [key, units] of after) this.pots.set(key, units);
    return true;
  }

  tell(
    account: Account,
    type: string,
    about: Entity,
    changes?: readonly string[],
    receive?: Entity,
  ): void {
    this.feeds.get(account)!.push({ at: this.now, type, about, changes, receive });
  }

  /** Something happens when so many milliseconds have passed, unless it never does. */
  later(delay: number, act: () => void): void {
    if (delay === Infinity) return;
    const at = this.now + delay;
    const place = this.#agenda.findIndex((due) => due.at > at);
    this.#agenda.splice(place < 0 ? this.#agenda.length : place, 0, { at, act });
  }

  /** When the next thing happens. */
  nextAt(): number {
    return this.#agenda[0]?.at ?? Infinity;
  }

  /** What falls due at this moment. */
  happen(): void {
    while (this.nextAt() <= this.now) this.#agenda.shift()!.act();
  }
}
