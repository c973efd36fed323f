// A shop whose set-up is examined: its client, and a receiver of webhooks in the same sandbox.
import { type Client, type ClientOptions, createClient, isPaystateError } from 'paystate';
import { doctor, type DoctorOptions, type DoctorReport } from 'paystate/doctor';
import { createSandbox, type Sandbox, type SandboxOptions } from 'paystate/sandbox';
import { verifyWebhook } from 'paystate/webhooks';

export const SECRET = 'a-secret-of-30-characters-long';
export const HOOK = 'https://shop.example/hooks';

/** A receiver of webhooks. */
export type Receiver = (request: Request) => Promise<Response>;

export interface Shop {
  readonly sandbox: Sandbox;
  readonly client: Client;
  /** What the doctor finds; receivers are those of the shop. */
  examine(options?: DoctorOptions, other?: Client): Promise<DoctorReport>;
  /** Makes a subscription that sends events of invoices to the shop. */
  subscribe(draft?: { readonly webhookUrl?: string; readonly enabled?: boolean }): Promise<void>;
}

/** Refuses what is not signed with the secret. */
export const verifying =
  (sandbox: () => Sandbox, secret: string = SECRET): Receiver =>
  async (request) => {
    try {
      await verifyWebhook(request, secret, { clock: sandbox().clock });
      return new Response(null, { status: 200 });
    } catch (thrown) {
      return new Response(null, { status: isPaystateError(thrown) ? 401 : 500 });
    }
  };

export const openShop = (
  options: Partial<ClientOptions> = {},
  world: SandboxOptions = {},
  receiver?: Receiver,
): Shop => {
  const receive: Receiver = receiver ?? verifying(() => sandbox);
  const sandbox: Sandbox = createSandbox({ signed: false, deliver: receive, ...world });
  const client = createClient({ ...sandbox.clientOptions, ...options });
  return {
    sandbox,
    client,
    examine: ({ webhooks = {}, ...rest } = {}, other = client) =>
      sandbox.run(
        doctor(other, { ...rest, webhooks: webhooks && { deliver: receive, ...webhooks } }),
      ),
    subscribe: async (draft) => {
      const events = ['invoice.created', 'invoice.updated'];
      const all = { webhookUrl: HOOK, webhookVersion: 'v1', enabled: true, eventTypes: events };
      await sandbox.run(client.subscriptions.create({ ...all, secret: SECRET, ...draft }));
    },
  };
};

/** Codes of what has to be corrected. */
export const problemsOf = ({ findings }: DoctorReport): readonly string[] =>
  findings.filter(({ verdict }) => verdict === 'problem').map(({ code }) => code);

/** Codes of what could not be checked. */
export const unknownOf = ({ findings }: DoctorReport): readonly string[] =>
  findings.filter(({ verdict }) => verdict === 'unknown').map(({ code }) => code);

/** Message of a finding; fails where there is none. */
export const messageOf = ({ findings }: DoctorReport, code: string): string => {
  const found = findings.find((one) => one.code === code);
  if (!found) throw new Error(`${code} is not among ${findings.map((one) => one.code).join(', ')}`);
  return found.message;
};
