// Protects: processes on one PostgreSQL know which of them is dead, and judge nobody after a stall
// of their own; what one has read the others hear at once. In virtual time, which stops while a
// process waits for the database.
// Part of `npm test`.
import { expect } from 'chai';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import type { SqlConnection } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import {
  emptyPostgresql,
  type OpenPostgresql,
  openPostgresql,
  type Postgresql,
  startPostgresql,
} from '../runners/stores/postgresql.ts';
import { ORIGIN } from '../unit/relay/shop.ts';
import { HOOK, type Here, openHere } from './host/here.ts';

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

const SECOND = 1_000;
const STEP = 100;
type Batch = OpenPostgresql['batch'];
type Settings = NonNullable<Parameters<typeof openHere>[0]>;

/** A process's way to the database, and what is wrong with it. */
interface Wire {
  /** Nothing comes back: of its own connection, or of all. */
  silent: 'nothing' | 'own' | 'all';
  /** Its own connection may not listen, or hears nothing. */
  listens: 'well' | 'refused' | 'deaf';
  connections: number;
  refusals: number;
  readonly statements: string[];
}

interface Process extends Here {
  readonly wire: Wire;
}

class World {
  readonly sandbox: Sandbox = createSandbox({
    ...{ seed: 'life', clock: 'virtual' },
    deliver: (delivery) => this.#processes[0]!.relay.handleWebhook('main', delivery),
  });
  readonly #url: string;
  readonly #drivers: OpenPostgresql[] = [];
  readonly #processes: Process[] = [];
  #waiting = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Lets time pass, and stops it while the database is asked. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP) {
      do await new Promise((resolve) => setTimeout(resolve, 1));
      while (this.#waiting > 0);
      await this.sandbox.advance(Math.min(left, STEP));
    }
  }

  /** Lets time pass until the work is done. */
  async until<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = (): void => void (isOver = true);
    work.then(end, end);
    while (!isOver) await this.pass(STEP);
    return work;
  }

  async start(settings: Settings = {}): Promise<Process> {
    const driver = await openPostgresql(this.#url);
    this.#drivers.push(driver);
    const wire: Wire = {
      ...{ silent: 'nothing', listens: 'well', connections: 0, refusals: 0 },
      statements: [],
    };
    const own = { ...driver, ...this.#driverOver(driver, wire) };
    const { sandbox } = this;
    const time = {
      run: <T>(work: PromiseLike<T>) => this.until(Promise.resolve(work)),
      advance: (ms: number) => this.pass(ms),
    };
    const database = { driver: own } as never;
    const here = openHere({ ...settings, sandbox, database, time: time as never });
    await this.until(here.relay.ready);
    const process = { ...here, wire };
    this.#processes.push(process);
    return process;
  }

  async ids(): Promise<readonly unknown[]> {
    const [rows = []] = await this.#drivers[0]!.batch([
      { sql: 'SELECT id FROM paystate_proc ORDER BY id', values: [] },
    ]);
    return rows.map((row) => row['id']);
  }

  async run(sql: string): Promise<void> {
    await this.#drivers[0]!.batch([{ sql, values: [] }]);
  }

  async end(): Promise<void> {
    for (const { wire, relay } of this.#processes) {
      wire.silent = 'nothing';
      await this.until(relay.close());
    }
    for (const driver of this.#drivers) await driver.end();
  }

  #driverOver({ batch, openConnection }: OpenPostgresql, wire: Wire) {
    return {
      batch: this.#watched(batch, wire, () => wire.silent === 'all'),
      openConnection: async (): Promise<SqlConnection> => {
        wire.connections += 1;
        const line = await this.#counted(openConnection!());
        return {
          batch: this.#watched(line.batch.bind(line), wire, () => wire.silent !== 'nothing'),
          onLost: (fn) => line.onLost(fn),
          close: () => line.close(),
          listen: async (channel, heard) => {
            if (wire.listens === 'refused') {
              wire.refusals += 1;
              throw new Error('this proxy passes no LISTEN on');
            }
            await this.#counted(
              line.listen(channel, (text) => void (wire.listens === 'well' && heard(text))),
            );
          },
        };
      },
    };
  }

  #watched(batch: Batch, wire: Wire, isSilent: () => boolean): Batch {
    return async (statements, options) => {
      wire.statements.push(...statements.map(({ sql }) => sql));
      if (!isSilent()) return this.#counted(batch(statements, options));
      await this.sandbox.clock.wait(options?.timeoutMs ?? SECOND);
      throw new Error('no answer in time');
    };
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      return await work;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** The test is given a database of its own. */
function itLives(title: string, test: (world: World) => Promise<void>): void {
  it(title, async ({ skip }) => {
    if (!postgresql) return skip('PostgreSQL is not installed');
    await emptyPostgresql(postgresql.url);
    const world = new World(postgresql.url);
    try {
      await test(world);
    } finally {
      await world.end();
    }
  });
}

const burials = ({ wire }: Process): number =>
  wire.statements.filter((sql) => /^DELETE FROM paystate_proc/.test(sql)).length;

/** Lets time pass until the process says that it lives. */
async function untilSign(world: World, { wire }: Process): Promise<void> {
  const count = () =>
    wire.statements.filter((sql) => /^INSERT INTO paystate_proc/.test(sql)).length;
  for (const before = count(); count() === before; ) await world.pass(STEP);
}

/** The process's handler tells its name. */
const telling = (ran: string[], name: string): Settings => ({
  webhookUrl: `${ORIGIN}/hooks/main`,
  account: { secrets: HOOK, on: { orderPaid: () => void ran.push(name) } },
});

describe('a process among others', () => {
  itLives('counts as dead after five seconds of silence, and not after four', async (world) => {
    const [silent, other] = [await world.start(), await world.start()];
    await world.pass(6 * SECOND);
    expect([(await world.ids()).length, burials(silent), burials(other)]).to.deep.equal([2, 0, 0]);
    silent.wire.silent = 'all';
    await world.pass(3 * SECOND);
    expect(await world.ids()).to.have.length(2);
    await world.pass(3 * SECOND);
    expect([(await world.ids()).length, burials(other)]).to.deep.equal([1, 1]);
    silent.wire.silent = 'nothing';
    await world.pass(4 * SECOND);
    expect([(await world.ids()).length, burials(silent), burials(other)]).to.deep.equal([2, 0, 1]);
  });

  itLives('that was there before and is gone is buried, in time', async (world) => {
    const first = await world.start();
    await world.run("INSERT INTO paystate_proc (id, seen) VALUES ('gone', 1)");
    await world.pass(4 * SECOND);
    expect(await world.ids()).to.include('gone');
    await world.pass(3 * SECOND);
    expect(await world.ids()).not.to.include('gone');
    await world.pass(10 * SECOND);
    expect(burials(first)).to.equal(1);
  });

  itLives('judges nobody after a stall of its own', async (world) => {
    const both = [await world.start(), await world.start()] as const;
    await world.pass(6 * SECOND);
    // Whichever is back first, it has last seen a sign of the other one long ago.
    for (const [first, second] of [both, both.toReversed() as [Process, Process]]) {
      second.wire.silent = 'all';
      await untilSign(world, first);
      first.wire.silent = 'all';
      await world.pass(10 * SECOND);
      first.wire.silent = 'nothing';
      await untilSign(world, first);
      second.wire.silent = 'nothing';
      await world.pass(10 * SECOND);
      expect(both.map(burials)).to.deep.equal([0, 0]);
      expect(await world.ids()).to.have.length(2);
    }
  });

  itLives('leaves its work to the others at once when it ends', async (world) => {
    const [first, second] = [await world.start(), await world.start()];
    await world.until(second.relay.close());
    expect(await world.ids()).to.have.length(1);
    await world.pass(6 * SECOND);
    expect(burials(first)).to.equal(0);
  });

  itLives('begins no handler while it cannot say that it lives', async (world) => {
    const ran: string[] = [];
    const mute = await world.start(telling(ran, 'mute'));
    await world.pass(2 * SECOND);
    const { invoiceId } = await world.until(mute.sell());
    mute.wire.silent = 'own';
    await world.pass(5 * SECOND);
    await mute.sandbox.payer.pay(invoiceId);
    await world.pass(20 * SECOND);
    expect(ran).to.deep.equal([]);
    mute.wire.silent = 'nothing';
    await world.pass(10 * SECOND);
    expect(ran).to.deep.equal(['mute']);
  });

  itLives('begins handlers after two seconds of silence, and none after four', async (world) => {
    const ran: string[] = [];
    const [mute] = [
      await world.start(telling(ran, 'mute')),
      await world.start(telling(ran, 'other')),
    ];
    await world.pass(6 * SECOND);
    const sold = [await world.until(mute.sell()), await world.until(mute.sell())] as const;
    await untilSign(world, mute);
    mute.wire.silent = 'own';
    await world.pass(2 * SECOND);
    await mute.sandbox.payer.pay(sold[0].invoiceId);
    await world.pass(2 * SECOND);
    await mute.sandbox.payer.pay(sold[1].invoiceId);
    await world.pass(2 * SECOND);
    expect(ran).to.deep.equal(['mute', 'other']);
  });

  itLives('stops where a newer one has the tables', async (world) => {
    const process = await world.start();
    const socket = await world.until(process.connect(await world.until(process.sell())));
    await world.run('UPDATE paystate_schema SET number = 99');
    await world.pass(2 * SECOND);
    const { ok, reason } = process.relay.health();
    expect([ok, socket.closedWith]).to.deep.equal([false, 1012]);
    expect(reason).to.contain('tables of version 99');
  });
});

describe('words between processes', () => {
  itLives('bring a change to the pages of another one at once', async (world) => {
    const [first, second] = [await world.start(), await world.start()];
    for (let n = 0; n < 4; n += 1) {
      const sold = await world.until(first.sell());
      const socket = await world.until(second.connect(sold));
      await world.pass(130 * n);
      const told = socket.messages.length;
      await world.until(first.ask(sold, 'POST', '/quote'));
      for (let step = 0; step < 3; step += 1) {
        await world.pass(STEP);
        await new Promise((resolve) => setTimeout(resolve, 50)); // the word is on its way
      }
      expect(socket.messages.length - told, `page ${n}`).to.equal(1);
      expect(socket.messages.at(-1)!.quote).to.be.an('object');
    }
  });

  itLives('that do not arrive have the connection replaced, ever more seldom', async (world) => {
    const { wire } = await world.start();
    await world.pass(20 * SECOND);
    expect(wire.connections).to.equal(1);
    wire.listens = 'deaf';
    const counts: number[] = [];
    for (const seconds of [4, 4, 10, 20, 40]) {
      await world.pass(seconds * SECOND);
      counts.push(wire.connections);
    }
    expect(counts).to.deep.equal([1, 2, 3, 4, 5]);
    wire.listens = 'well';
    await world.pass(SECOND * 80);
    expect(wire.connections).to.be.at.most(6);
    const before = wire.connections;
    wire.listens = 'deaf';
    await world.pass(8 * SECOND);
    expect(wire.connections - before, 'it has forgotten the old deafness').to.equal(1);
  });

  itLives('that cannot be listened for keep no process from its signs', async (world) => {
    const other = await world.start();
    const { wire } = await world.start({});
    wire.listens = 'refused';
    await world.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%LISTEN%'`,
    );
    await world.pass(4 * SECOND);
    const [refusals, signs] = [wire.refusals, wire.statements.length];
    expect(refusals).to.be.at.most(3);
    await world.pass(4 * SECOND);
    expect(wire.statements.length).to.be.above(signs);
    expect([burials(other), (await world.ids()).length]).to.deep.equal([0, 2]);
  });
});
