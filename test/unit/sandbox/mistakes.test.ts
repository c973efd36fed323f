// Node only: the sandbox computes the same in every engine.
// Protects: a mistaken option, rule or command is refused with its member, the rule and the nearest name, in process and over HTTP.
import { expect } from 'chai';
import { createSandbox, SandboxObject } from 'paystate/sandbox';
import { describe, it } from '#test';
import { storageOf } from './object-storage.ts';
import { bodyOf, MISTAKES, make, type MistakenCall } from './mistake-list.ts';

const refusalOf = async (call: MistakenCall, given: readonly unknown[]): Promise<string> => {
  try {
    if (call === 'createSandbox') createSandbox(given[0] as object);
    else await make(createSandbox(), call, given);
    return 'nothing was refused';
  } catch (thrown) {
    const { name, message } = thrown as Error;
    return `${name} ${message}`;
  }
};

describe('sandbox: mistakes', () => {
  it('are more than forty', () => expect(MISTAKES.length).to.be.at.least(40));

  it('are refused with the member, the rule and the nearest name', async () => {
    const messages: string[] = [];
    for (const [call, given] of MISTAKES) messages.push(await refusalOf(call, given));
    expect(messages).to.deep.equal(MISTAKES.map(([, , message]) => `InputError ${message}`));
  });

  it('are refused with the same words over HTTP, and nothing comes of them', async () => {
    const { clock } = createSandbox();
    const box = new SandboxObject(storageOf(), { clock });
    const send = async (method: string, name: string, body?: unknown): Promise<unknown> => {
      const response = await box.fetch(
        new Request(`https://box.example/_sandbox/${name}`, {
          method,
          headers: { 'x-paystate-control': '1' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, ...((await response.json()) as object) };
    };
    const before = await send('GET', 'state');
    for (const [call, given, message] of MISTAKES) {
      const command = bodyOf(call, given);
      if (!command) continue;
      expect(await send('POST', ...command), message).to.deep.equal({
        status: 400,
        code: 'INPUT_INVALID',
        message,
      });
    }
    expect(await send('GET', 'state')).to.deep.equal(before);
  });

  it('of names that every object has are refused too', () => {
    const rule: object = JSON.parse('{"action":"lost-after","__proto__":1}');
    expect(() => createSandbox().fault(rule as never)).to.throw('__proto__: is an unknown field');
    expect(() => createSandbox({ toString: 1 } as never)).to.throw('toString: is an unknown');
  });

  it('are none where a rule carries what the service has added', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ action: { status: 422, extra: { code: 'A_NEW_CODE', more: 1 } } });
    const response = await sandbox.fetch('/v1/balances');
    const { data } = (await response.json()) as { readonly data: Record<string, unknown> };
    expect(data).to.include({ status: 422, code: 'A_NEW_CODE', more: 1 });
    sandbox.clientOptionsFor({ extra: { scopes: ['partner.new.read'] } });
  });
});

describe('sandbox: fault rules that never took effect', () => {
  it('are told, with how often they matched', async () => {
    const sandbox = createSandbox();
    const never = { path: '/v1/balance', action: 'lost-after' } as const;
    const later = { method: 'GET', nth: 3, action: 'lost-after' } as const;
    const states = { subject: 'payout', delay: Infinity } as const;
    const end = sandbox.fault(never);
    sandbox.fault(later);
    sandbox.fault({ method: 'GET', action: { delay: 1 } });
    sandbox.fault({ method: 'GET', probability: 0, action: 'lost-after' });
    sandbox.fault(states);
    end();
    await sandbox.run(sandbox.fetch('/v1/balances'));
    expect(sandbox.unusedFaults()).to.deep.equal([
      { rule: never, matches: 0 },
      { rule: later, matches: 1 },
      { rule: states, matches: 0 },
    ]);
  });

  it('are warned of once, where the sandbox is closed', () => {
    const warnings: string[] = [];
    const sandbox = createSandbox({ warn: (message) => void warnings.push(message) });
    sandbox.fault({ subject: 'payout', delay: Infinity });
    sandbox.close();
    sandbox.close();
    createSandbox({ warn: (message) => void warnings.push(message) }).close();
    expect(warnings).to.deep.equal([
      'paystate: fault rules that never took effect:\n  {"subject":"payout","delay":"never"}: nothing matched it',
    ]);
  });
});
