import { type Client, createClient, type Observers } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { BehaviorSubject, type Observable } from 'rxjs';

const HOUR = 3_600_000;

/** The service in a sandbox, and the page's client of it. Both live as long as the page. */
export interface World {
  readonly sandbox: Sandbox;
  /**
   * The shop's back office, which is another client of the same account. The page isn't aware of
   * it.
   */
  readonly office: Client;
  /** Emits the page's client now, and again when the device's clock is set. */
  readonly clients: Observable<Client>;
  client(): Client;
  setClockWrong(wrong: boolean): void;
}

/** Opens the sandbox. `observers` see each request of the page. */
export function createWorld(observers: Observers): World {
  const sandbox = createSandbox({ seed: 'demo', clock: 'real' });
  const clientWith = (clockSkew: number): Client =>
    createClient({ ...sandbox.clientOptionsFor({ clockSkew }), ...observers });
  const clients = new BehaviorSubject(clientWith(0));
  return {
    sandbox,
    clients,
    office: createClient(sandbox.clientOptionsFor({ address: '203.0.113.9' })),
    client: () => clients.value,
    setClockWrong: (wrong) => clients.next(clientWith(wrong ? HOUR : 0)),
  };
}
