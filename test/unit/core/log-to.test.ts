// Protects: what a log says of each request, at its level, and that no secret, id or amount is in it.
import { expect } from 'chai';
import {
  type ClientOptions,
  isPaystateError,
  type Logger,
  type LogLevel,
  logTo,
  testRateLimits,
} from 'paystate';
import { describe, it } from '#test';
import { withReports } from '../state/reports.ts';
import { answering, DRAFT, openShop, refusal } from './shop.ts';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

interface Line {
  readonly level: LogLevel;
  readonly text: string;
  readonly facts: object;
}

function openLog(level?: LogLevel, options: Partial<ClientOptions> = {}) {
  const lines: Line[] = [];
  const methods = LEVELS.map((name) => [
    name,
    (text: string, facts: object) => void lines.push({ level: name, text, facts }),
  ]);
  const logger = Object.fromEntries(methods) as unknown as Logger;
  const shop = openShop({ ...logTo(logger, level && { level }), ...options });
  const texts = () => lines.map((line) => `${line.level} ${line.text.replace(/\d+ ms/, 'N ms')}`);
  return { ...shop, lines, texts };
}

const CREATE = { method: 'POST', path: '/v1/invoices' };
const settled = (call: Promise<unknown>): Promise<unknown> => call.catch(() => undefined);

describe('logTo', () => {
  it('writes commands at info, and reads and what is sent at debug', async () => {
    for (const [level, expected] of [
      [undefined, ['info paystate: invoices.create 201 in N ms']],
      [
        'debug',
        [
          'debug paystate: invoices.create is sent',
          'info paystate: invoices.create 201 in N ms',
          'debug paystate: balances.list is sent',
          'debug paystate: balances.list 200 in N ms',
        ],
      ],
      ['warn', []],
    ] as const) {
      const { client, run, texts } = openLog(level);
      await run(client.invoices.create(DRAFT));
      await run(client.balances.list());
      expect(texts()).to.deep.equal(expected);
    }
  });

  it('warns of refusals and repetitions', async () => {
    const { sandbox, client, run, texts } = openLog();
    sandbox.fault({ path: '/v1/balances', nth: 1, action: 'lost-before' });
    await run(client.balances.list());
    await settled(run(client.invoices.get('0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11')));
    expect(texts()).to.deep.equal([
      'warn paystate: balances.list no response UNREACHABLE in N ms',
      'warn paystate: balances.list is retried in N ms',
      'warn paystate: invoices.get 404 NOT_FOUND in N ms',
    ]);
  });

  it('writes a command whose effect is not known as an error', async () => {
    const { sandbox, client, run, texts } = openLog('error');
    sandbox.fault({ ...CREATE, nth: 1, action: 'lost-after' });
    sandbox.fault({ ...CREATE, nth: 2, action: { status: 503, code: 'MAINTENANCE_MODE' } });
    sandbox.fault({ ...CREATE, nth: 3, action: { status: 422, code: 'AMOUNT_TOO_LOW' } });
    for (let n = 0; n < 3; n++)
      await settled(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
    expect(texts()).to.deep.equal([
      'error paystate: invoices.create no response UNREACHABLE in N ms',
      'error paystate: invoices.create 503 MAINTENANCE_MODE in N ms',
    ]);
  });

  it('tells refusals of the service from pages of a proxy, and from faults of the service', async () => {
    for (const [status, code, level] of [
      [400, 'INVALID_DATA', 'warn'],
      [499, 'INVALID_DATA', 'warn'],
      [500, 'INTERNAL_ERROR', 'error'],
    ] as const) {
      const { client, run, texts } = openLog('warn', {
        fetch: answering(refusal(status, code)).fetch,
      });
      await settled(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
      expect(texts()).to.deep.equal([
        `${level} paystate: invoices.create ${status} ${code} in N ms`,
      ]);
    }
    const { client, run, texts } = openLog('warn', {
      fetch: async () => new Response('<h1>Not here</h1>', { status: 404 }),
    });
    await settled(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
    expect(texts()).to.deep.equal(['error paystate: invoices.create 404 NOT_FROM_SERVICE in N ms']);
  });

  it('does not call the effect unknown where nothing was sent', async () => {
    const { client, run, texts } = openLog('warn', {
      apiKey: undefined,
      token: () => Promise.reject(new Error('offline')),
    });
    await settled(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
    expect(texts()).to.deep.equal([
      'warn paystate: invoices.create no response TOKEN_UNAVAILABLE in N ms',
    ]);
  });

  it('writes a page of a proxy with status 200 as an error of a command', async () => {
    const { client, run, texts } = openLog('error', {
      fetch: async () => new Response('<h1>Welcome</h1>', { status: 200 }),
    });
    await settled(run(client.invoices.create(DRAFT, { maxAttempts: 1 })));
    expect(texts()).to.have.length(1);
    expect(texts()[0]).to.match(/^error paystate: invoices.create 200 [A-Z_]+ in N ms$/);
  });

  it('says that a call waits for the rate limit', async () => {
    const one = { limit: 1, window: 60_000, block: 60_000 };
    const lines: string[] = [];
    const write = (text: string) => void lines.push(text);
    const logger = { debug: write, info: write, warn: write, error: write };
    const { client, run } = openShop({
      ...logTo(logger),
      rateLimits: { ...testRateLimits, others: one },
    });
    await run(client.balances.list());
    await run(client.balances.list());
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^paystate: balances.list waits \d+ ms for the rate limit$/);
  });

  it('holds no secret, id or amount', async () => {
    const { sandbox, client, run, lines } = openLog('debug');
    const { invoiceId } = await run(client.invoices.create({ ...DRAFT, description: 'hush' }));
    await run(client.invoices.get(invoiceId));
    const whole = JSON.stringify(lines);
    expect(lines).to.have.length.above(3);
    for (const secret of [sandbox.clientOptions.apiKey!, invoiceId, '12.50', 'hush'])
      expect(whole).not.to.include(secret);
  });

  it('does not disturb the call where the logger throws', () =>
    withReports(async (reports) => {
      const fail = () => {
        throw new Error('disk full');
      };
      const shop = openShop(logTo({ debug: fail, info: fail, warn: fail, error: fail }));
      const { state } = await shop.run(shop.client.invoices.create(DRAFT));
      expect([state, reports.length]).to.deep.equal(['UNPAID', 1]);
    }));

  it('refuses what is no logger, and levels and options that it does not know', () => {
    const messageOf = (call: () => unknown): string => {
      try {
        call();
      } catch (thrown) {
        return isPaystateError(thrown) ? thrown.message : 'another error';
      }
      return 'nothing was thrown';
    };
    expect(messageOf(() => logTo(console, { level: 'warm' as never }))).to.include('mean warn?');
    expect(messageOf(() => logTo(console, { levels: 'warn' } as never))).to.include('mean level?');
    expect(messageOf(() => logTo({ ...console, warn: undefined } as never))).to.include('warn');
    expect(messageOf(() => logTo(undefined as never))).to.include('debug');
  });
});
