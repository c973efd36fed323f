import { isPaystateError, serviceCodes } from '../../core/errors/index.ts';
import type { DeliveryFaultRule } from '../faults/event-faults.ts';
import type { FaultRule } from '../faults/request-faults.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { Sandbox } from './sandbox.ts';
import type { PayOptions } from './payer.ts';
import type { Movable } from '../resources/moves.ts';
import type { StateRule } from '../faults/state-rules.ts';
import type { OutsideDraft } from '../resources/outside.ts';

/** Below it are the commands of the sandbox; no path of the service begins so. */
export const CONTROL_PATH = '/_sandbox/';

/** A page could send it only after a preflight, which is never allowed. */
export const CONTROL_HEADER = 'x-paystate-control';

/** Responds to requests below `/_sandbox/`, except to those of another page. */
export type Control = (request: Request) => Promise<Response>;

type Command = (given: Given, url: URL) => unknown;

/** A command's body: any members, each checked by the function that gets it. */
interface Given {
  readonly target?: string;
  readonly wait?: boolean;
  readonly invoiceId?: string;
  readonly duration?: number;
  readonly account?: string;
  readonly apiKey?: string;
  readonly scopes?: readonly string[];
  readonly subject?: Movable;
  readonly id?: string;
  readonly state?: string;
  readonly amount?: string;
  readonly currency?: string;
}

/** A state rule as JSON says it, which has no `Infinity`. */
type EndlessRule = Omit<StateRule, 'delay'> & { readonly delay: 'never' };
type GivenRule = FaultRule | DeliveryFaultRule | StateRule | EndlessRule;

/** The payer, time, faults, keys and logs of a sandbox as JSON over HTTP. */
export function createControl(sandbox: Sandbox): Control {
  const commands = commandsOf(sandbox);
  return async (request) => {
    const url = new URL(request.url);
    const [, name = '', id = ''] = url.pathname.slice(CONTROL_PATH.length - 1).split('/');
    const command = commands[`${request.method} ${name}${id && '/'}`];
    const no = controlRefusal(request);
    if (no || !command)
      return no ?? jsonResponse(404, { code: 'NOT_FOUND', message: 'no such command' });
    if (id) url.searchParams.set('id', id);
    return controlResponse(async () =>
      command(givenOf(await sandbox.clock.external(request.text())), url),
    );
  };
}

/** Why a request may not control; absent where it may. */
export function controlRefusal({ headers, url }: Request): Response | undefined {
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(url).origin)
    return jsonResponse(403, { code: 'FORBIDDEN', message: 'the control is for no page' });
  if (headers.get(CONTROL_HEADER) === null)
    return jsonResponse(403, {
      code: 'FORBIDDEN',
      message: `the header ${CONTROL_HEADER}: 1 is missing`,
    });
  return undefined;
}

/** The response to a command: its result, or its refusal. */
export async function controlResponse(command: () => Promise<unknown>): Promise<Response> {
  try {
    return jsonResponse(200, (await command()) ?? {});
  } catch (thrown) {
    return refusal(thrown);
  }
}

function commandsOf(sandbox: Sandbox): Readonly<Record<string, Command>> {
  const faults: ActiveFaults = new Map();
  return { ...faultCommands(sandbox, faults), ...reads(sandbox, faults), ...actions(sandbox) };
}

type ActiveFaults = Map<string, { readonly rule: GivenRule; end(): void }>;

/** What happens outside of the service. */
function actions(sandbox: Sandbox): Readonly<Record<string, Command>> {
  return {
    'POST pay': ({ target = '', wait, ...how }) => {
      const paid = sandbox.payer.pay(target, how as PayOptions);
      return wait === false ? afterStart(paid) : paid;
    },
    'POST bolt11': (given) => ({ lnInvoice: sandbox.payer.createBolt11(given as OutsideDraft) }),
    'POST address': () => ({ btcAddress: sandbox.payer.createAddress() }),
    'POST reverse': ({ invoiceId = '' }) => sandbox.payer.reverse(invoiceId),
    'POST move': ({ subject = '' as Movable, id = '', state = '' }) =>
      sandbox.move(subject, id, state),
    'POST fund': ({ account = sandbox.accounts[0]!, amount = '', currency = '' }) =>
      sandbox.fund(account, { amount, currency }),
    'POST advance': async ({ duration = Number.NaN }) => {
      await sandbox.advance(duration);
      return { now: sandbox.clock.now() };
    },
    'POST keys': ({ account, scopes }) => ({
      apiKey: sandbox.clientOptionsFor({ account, scopes }).apiKey,
    }),
    'POST revoke': ({ apiKey = '' }) => sandbox.revoke(apiKey),
  };
}

/** A payment is refused within a few promise callbacks or not at all. */
async function afterStart(paid: Promise<object>): Promise<object> {
  let receipt: object = {};
  const ended = paid.then((value) => void (receipt = value));
  for (let hop = 0; hop < 20; hop++) await Promise.race([ended, undefined]);
  return receipt;
}

function faultCommands(sandbox: Sandbox, faults: ActiveFaults): Readonly<Record<string, Command>> {
  let added = 0;
  return {
    'POST faults': (given) => {
      const rule = given as unknown as GivenRule;
      const end = sandbox.fault(isEndless(rule) ? { ...rule, delay: Infinity } : rule);
      faults.set(`${++added}`, { rule, end });
      return { id: `${added}` };
    },
    'GET faults': () => [...faults].map(([id, { rule }]) => ({ id, rule })),
    'DELETE faults/': (_, url) => {
      const id = url.searchParams.get('id')!;
      faults.get(id)?.end();
      return { ended: faults.delete(id) };
    },
  };
}

function isEndless(rule: GivenRule): rule is EndlessRule {
  return 'delay' in rule && rule.delay === 'never';
}

/** What changes nothing. */
function reads(sandbox: Sandbox, faults: ActiveFaults): Readonly<Record<string, Command>> {
  const { ledger } = sandbox;
  return {
    'GET log': (_, url) => sandbox.log.slice(after(url)),
    'GET deliveries': (_, url) => sandbox.deliveries.slice(after(url)),
    'GET ledger': (_, url) => ({
      balances: ledger.balances(),
      postings: ledger.postings.slice(after(url)),
    }),
    'GET report': () => sandbox.report(),
    'GET accounts': () =>
      sandbox.accounts.map((handle) => {
        const { account: [account] = [], 'api-keys': apiKeys } = sandbox.inspect(handle);
        return { ...account, apiKeys };
      }),
    'GET world': (_, url) => sandbox.inspect(url.searchParams.get('account') ?? undefined),
    'GET state': () => ({
      now: sandbox.clock.now(),
      accounts: sandbox.accounts,
      apiKey: sandbox.clientOptions.apiKey,
      requests: sandbox.log.length,
      deliveries: sandbox.deliveries.length,
      postings: ledger.postings.length,
      blocks: sandbox.blocks,
      faults: faults.size,
    }),
  };
}

/** How many entries the caller has already. */
function after(url: URL): number {
  return Math.max(0, Math.trunc(+(url.searchParams.get('after') ?? 0)) || 0);
}

/** A body that is no JSON object says nothing. */
function givenOf(text: string): Given {
  const given: unknown = text === '' ? {} : JSON.parse(text);
  return typeof given === 'object' && given !== null ? given : {};
}

function refusal(thrown: unknown): Response {
  if (thrown instanceof SyntaxError)
    return jsonResponse(400, { code: 'INPUT_INVALID', message: 'the body is not JSON' });
  if (thrown instanceof ServiceRefusal)
    return jsonResponse(serviceCodes[thrown.code], {
      code: thrown.code,
      message: 'the service refuses it',
    });
  if (!isPaystateError(thrown)) return failure(thrown);
  return jsonResponse(thrown.status ?? 400, { code: thrown.code, message: thrown.message });
}

/** The sandbox itself has failed. */
function failure(thrown: unknown): Response {
  console.error('paystate: the sandbox failed at a command:', thrown);
  return jsonResponse(500, {
    code: 'INTERNAL_SERVER_ERROR',
    message: `the sandbox failed: ${String(thrown)}`,
  });
}

function jsonResponse(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  });
}
