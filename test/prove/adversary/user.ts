// One process after another of somebody who uses the client as the manual teaches.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, type ClientOptions, createClient, isPaystateError } from 'paystate';
import type { Sandbox, SandboxClient } from 'paystate/sandbox';
import type { Store } from 'paystate/stores';
import type { Chance } from '../shared/chance.ts';
import type { CallRecord, Intent, Outcome, Process, Shared } from './intent.ts';
import type { Network } from './network.ts';

/** The process has ended in the middle of a call. */
export class Restart extends Error {}

/** Longest patience of a person, virtual milliseconds. */
const PATIENCE_MS = 900_000;
/** Times after which a process ends during a call, and after which the next one starts. */
const DIES_AFTER_MS = [0, 50, 3_000, 30_000];
const STARTS_AFTER_MS = [500, 5_000, 70_000];
const PAUSES_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 61_000, 120_000];

/** The person whose call it is, where several have one client. */
const caller = new AsyncLocalStorage<Intent>();

/** A client that several people use at once. */
export function createShared(network: Network, connection: SandboxClient): Shared {
  const process = { number: 1, isDead: false };
  const client = createClient({
    ...connection,
    account: 'shop',
    fetch: (input, init) => network.fetchFor(caller.getStore()!, process)(input, init),
  });
  return { process, client };
}

/** A process of one user alone. */
class OwnProcess implements Process {
  readonly number: number;
  isDead = false;
  readonly #end = Promise.withResolvers<void>();

  constructor(number: number) {
    this.number = number;
  }

  /** Resolves when it has died. */
  get died(): Promise<void> {
    return this.#end.promise;
  }

  die(): void {
    this.isDead = true;
    this.#end.resolve();
  }
}

/** Makes the client of a process that may die. */
function clientOf(
  { clock }: Sandbox,
  network: Network,
  intent: Intent,
  process: OwnProcess,
): Client {
  const { apiKey, ...rest } = intent.connection;
  const token = async (): Promise<string> => {
    if (intent.chance.hits(intent.outages)) throw new Error('the login server is away');
    return apiKey;
  };
  const options: ClientOptions = {
    ...rest,
    account: intent.handle,
    clock: {
      ...clock,
      /** The work of a dead process holds nobody up. */
      external(work) {
        void clock.external(Promise.race([work.catch(() => {}), process.died]));
        return work;
      },
    },
    ...(intent.outages > 0 ? { token } : { apiKey }),
    fetch: network.fetchFor(intent, process),
  };
  return createClient(options);
}

export interface UserOptions {
  readonly sandbox: Sandbox;
  readonly network: Network;
  readonly intent: Intent;
}

/** Somebody who wants one thing done; keeps on after a process has ended. */
export class User {
  readonly #sandbox: Sandbox;
  readonly #network: Network;
  readonly #intent: Intent;
  readonly #begun: number;
  #own: OwnProcess | undefined;
  #client: Client;
  /** Pauses become longer and longer. */
  #pauses = 0;

  constructor({ sandbox, network, intent }: UserOptions) {
    this.#sandbox = sandbox;
    this.#network = network;
    this.#intent = intent;
    this.#begun = sandbox.clock.now();
    this.#client = intent.shared?.client ?? this.#start();
  }

  get clock(): Sandbox['clock'] {
    return this.#sandbox.clock;
  }

  get chance(): Chance {
    return this.#intent.chance;
  }

  get process(): Process {
    return this.#intent.shared?.process ?? this.#own!;
  }

  get store(): Store {
    return this.#intent.store;
  }

  /** Remembers doubt without the help of the SDK. */
  get isCareful(): boolean {
    return this.#intent.isCareful;
  }

  hasTime(patience: number = PATIENCE_MS): boolean {
    return this.clock.now() - this.#begun < patience;
  }

  #start(): Client {
    this.#own = new OwnProcess((this.#own?.number ?? 0) + 1);
    return clientOf(this.#sandbox, this.#network, this.#intent, this.#own);
  }

  /** Ends the process, and starts the next one some time later. */
  async #restart(process: OwnProcess): Promise<void> {
    const text = `process ${process.number} ends`;
    this.#intent.notes.push({ at: this.clock.now(), text });
    await this.clock.wait(this.chance.pick(STARTS_AFTER_MS));
    this.#client = this.#start();
  }

  /** A call of the SDK that may end with the process; `about` is what must be done once. */
  async call<T>(
    name: string,
    about: string | undefined,
    act: (client: Client) => Promise<T>,
  ): Promise<T> {
    const { clock, chance } = this;
    const { log } = this.#network;
    const intent = this.#intent;
    const at = clock.now();
    const record: CallRecord = { name, about, process: this.process, from: log.length, at };
    intent.calls.push(record);
    const close = (): void => void Object.assign(record, { to: log.length, until: clock.now() });
    const work = caller.run(intent, () => act(this.#client));
    const ended = work
      .then(
        (value): Outcome => ({ kind: 'resolved', value }),
        (error: unknown): Outcome => ({ kind: 'rejected', error }),
      )
      .then((outcome) => {
        record.outcome = outcome;
        close();
      });
    if (chance.hits(intent.crashes)) {
      await Promise.race([ended, clock.wait(chance.pick(DIES_AFTER_MS))]);
      if (record.until === undefined && this.#own) {
        this.#own.die();
        record.isCut = true;
        close();
        await this.#restart(this.#own);
        throw new Restart();
      }
    }
    await ended;
    return work.catch((thrown: unknown) => {
      if (!isPaystateError(thrown)) intent.strays.push(thrown);
      throw thrown;
    });
  }

  async pause(retryAt?: number | undefined): Promise<void> {
    const usual = this.chance.pick(PAUSES_MS) * (1 + this.#pauses++ / 3);
    const left = retryAt === undefined ? 0 : retryAt - this.clock.now();
    await this.clock.wait(Math.max(usual, left));
  }
}
