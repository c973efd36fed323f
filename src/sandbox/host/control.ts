import { isPaystateError, serviceCodes } from '../../core/errors/index.ts';
import { ServiceRefusal } from '../world/responses.ts';
import type { AnyFaultRule } from '../faults/rules.ts';
import { requireValid } from '../world/checked.ts';
import { bodySchemas, type CommandBodies } from './option-schemas.ts';
import { CONTROL_HEADER, CONTROL_PATH } from './names.ts';
import type { Sandbox } from './sandbox.ts';

/** Handles requests under `/_sandbox/`. Rejects requests from web pages on other origins. */
export type Control = (request: Request) => Promise<Response>;

type Actions = { readonly [Name in keyof CommandBodies]: (body: CommandBodies[Name]) => unknown };

/**
 * Controls a sandbox over HTTP with JSON. Commands cover payments, time, faults, API keys and logs.
 */
export function createControl(sandbox: Sandbox): Control {
  const commands = makeCommands(sandbox);
  return async (request) => {
    const url = new URL(request.url);
    const [, name = '', id = ''] = url.pathname.slice(CONTROL_PATH.length - 1).split('/');
    const command = commands[`${request.method} ${name}${id && '/'}`];
    const no = controlRefusal(request);
    if (no || !command)
      return no ?? jsonResponse(404, { code: 'NOT_FOUND', message: 'no such command' });
    if (id) url.searchParams.set('id', id);
    return controlResponse(async () => command(url, await sandbox.clock.external(request.text())));
  };
}

/**
 * Parses the JSON body of a control command. An empty body means `{}`.
 * @throws InputError with the invalid field
 */
export function parseBody<Name extends keyof CommandBodies>(
  name: Name,
  text: string,
): CommandBodies[Name] {
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return requireValid(bodySchemas[name], body, name === 'faults' ? 'rule' : 'body');
}

export function controlRefusal({ headers, url }: Request): Response | undefined {
  const origin = headers.get('origin');
  if (origin !== null && origin !== new URL(url).origin)
    return jsonResponse(403, {
      code: 'FORBIDDEN',
      message: 'web pages may not control the sandbox',
    });
  if (headers.get(CONTROL_HEADER) === null)
    return jsonResponse(403, {
      code: 'FORBIDDEN',
      message: `the header ${CONTROL_HEADER}: 1 is missing`,
    });
  return undefined;
}

export async function controlResponse(command: () => Promise<unknown>): Promise<Response> {
  try {
    return jsonResponse(200, (await command()) ?? {});
  } catch (thrown) {
    return refusal(thrown);
  }
}

type Command = (url: URL, body: string) => unknown;

function makeCommands(sandbox: Sandbox): Readonly<Record<string, Command>> {
  const faults: ActiveFaults = new Map();
  const commands = reads(sandbox, faults);
  const all = actions(sandbox, faults);
  const add = <Name extends keyof CommandBodies>(name: Name): void => {
    commands[`POST ${name}`] = (_, body) => all[name](parseBody(name, body));
  };
  for (const name of Object.keys(all)) add(name as keyof CommandBodies);
  return commands;
}

type ActiveFaults = Map<string, { readonly rule: AnyFaultRule; end(): void }>;

function actions(sandbox: Sandbox, faults: ActiveFaults): Actions {
  const { payer } = sandbox;
  let added = 0;
  return {
    pay({ target, wait, ...how }) {
      const paid = payer.pay(target, how);
      return wait === false ? afterStart(paid) : paid;
    },
    bolt11: (draft) => ({ lnInvoice: payer.createBolt11(draft) }),
    address: () => ({ btcAddress: payer.createAddress() }),
    reverse: ({ invoiceId }) => payer.reverse(invoiceId),
    move: ({ subject, id, state }) => sandbox.move(subject, id, state),
    fund: ({ account = sandbox.accounts[0]!, amount, currency }) =>
      sandbox.fund(account, { amount, currency }),
    async advance({ duration }) {
      await sandbox.advance(duration);
      return { now: sandbox.clock.now() };
    },
    keys: (options) => ({ apiKey: sandbox.clientOptionsFor(options).apiKey }),
    revoke: ({ apiKey }) => sandbox.revoke(apiKey),
    assumptions: ({ id, value }) => sandbox.assume({ [id]: value }),
    faults(rule) {
      const end = sandbox.fault(rule);
      added++;
      faults.set(`${added}`, { rule, end });
      return { id: `${added}` };
    },
  };
}

/**
 * Waits for 20 microtasks, because a payment that fails its initial checks rejects within that
 * time.
 */
async function afterStart(paid: Promise<object>): Promise<object> {
  let receipt: object = {};
  const ended = paid.then((value) => {
    receipt = value;
  });
  for (let hop = 0; hop < 20; hop++) await Promise.race([ended, undefined]);
  return receipt;
}

/** Formats a fault rule for JSON. JSON has no `Infinity`, so an infinite delay becomes `never`. */
function shownRule(rule: AnyFaultRule): object {
  return 'delay' in rule && rule.delay === Infinity ? { ...rule, delay: 'never' } : rule;
}

/** Commands without a body. All of them are read-only, except the one that ends a fault. */
function reads(sandbox: Sandbox, faults: ActiveFaults): Record<string, Command> {
  const { ledger } = sandbox;
  return {
    'GET assumptions': () => sandbox.assumptions,
    'GET faults': () => [...faults].map(([id, { rule }]) => ({ id, rule: shownRule(rule) })),
    'GET unused-faults': () =>
      sandbox.unusedFaults().map(({ rule, matches }) => ({ rule: shownRule(rule), matches })),
    'DELETE faults/': (url) => {
      const id = url.searchParams.get('id')!;
      faults.get(id)?.end();
      return { ended: faults.delete(id) };
    },
    'GET log': (url) => sandbox.log.slice(after(url)),
    'GET deliveries': (url) => sandbox.deliveries.slice(after(url)),
    'GET ledger': (url) => ({
      balances: ledger.balances(),
      postings: ledger.postings.slice(after(url)),
    }),
    'GET report': () => sandbox.report(),
    'GET accounts': () =>
      sandbox.accounts.map((handle) => {
        const { account: [account] = [], 'api-keys': apiKeys } = sandbox.inspect(handle);
        return { ...account, apiKeys };
      }),
    'GET world': (url) => sandbox.inspect(url.searchParams.get('account') ?? undefined),
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

function after(url: URL): number {
  return Math.max(0, Math.trunc(+(url.searchParams.get('after') ?? 0)) || 0);
}

function refusal(thrown: unknown): Response {
  if (thrown instanceof SyntaxError)
    return jsonResponse(400, { code: 'INPUT_INVALID', message: 'the body is not JSON' });
  if (thrown instanceof ServiceRefusal)
    return jsonResponse(serviceCodes[thrown.code], {
      code: thrown.code,
      message: 'the service refused this',
    });
  if (!isPaystateError(thrown)) return failure(thrown);
  return jsonResponse(thrown.status ?? 400, { code: thrown.code, message: thrown.message });
}

/** Logs an internal sandbox error and returns a response with status 500. */
function failure(thrown: unknown): Response {
  console.error('paystate: a sandbox command failed:', thrown);
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
