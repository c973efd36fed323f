// Protects: the command that tries a receiver of webhooks names its mistake, over HTTP, and tries nobody who was not named.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { nodeHandler } from 'paystate/host';
import { describe, it } from '#test';
import { type Flaw, receiverWith, SECRET } from '../unit/testing/receivers.ts';
import { AT_ONCE, bin, root } from './command.ts';

const run = async (
  args: readonly string[],
  secret: string | undefined = SECRET,
): Promise<readonly [code: unknown, text: string]> => {
  const env = { ...process.env, PAYSTATE_WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, [join(root, bin.paystate), 'torture', ...args], {
    env,
    timeout: 60_000,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
  const [code] = await once(child, 'close');
  return [code, text];
};

/** A receiver on a port, with the two addresses that let the command see its work. */
const served = async (flaw?: Flaw) => {
  const { handle, options } = receiverWith(flaw, 'real');
  const server = createServer(
    nodeHandler(async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/event') return new Response((await options.event!()).data.entityId);
      if (pathname === '/effects')
        return new Response(String(await options.effects!(searchParams.get('id')!)));
      return handle(request);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = [`${url}/hooks`, '--event', `${url}/event`, '--effects', `${url}/effects?id={id}`];
  return { url, args, close: () => server.close() };
};

describe('paystate torture', AT_ONCE, () => {
  for (const [flaw, said] of [
    [undefined, 'no mistake found'],
    ['check not awaited', 'signature-not-checked'],
    ['no dedupe', 'handled-twice'],
    ['410 on an error', 'ends-subscription'],
  ] as const)
    it(`says of a receiver: ${flaw ?? 'without a mistake'}`, async () => {
      const { args, close } = await served(flaw);
      const [code, text] = await run(args);
      close();
      expect(text).to.contain(said);
      expect(text.match(/^ {2}mistake/gm) ?? []).to.have.length(flaw ? 1 : 0);
      expect(code).to.equal(flaw ? 1 : 0);
      expect(text).not.to.contain(SECRET);
    });

  it('names the address that did not answer', async () => {
    const [{ args, url, close }, gone] = [await served(), await served()];
    gone.close();
    const effects = ['--effects', `${gone.url}/effects`];
    const [code, text] = await run([args[0]!, '--event', `${url}/event`, ...effects]);
    close();
    const why = `there was no response: connect ECONNREFUSED ${new URL(gone.url).host}`;
    expect([code, text]).to.deep.equal([1, `paystate: ${effects.join(': GET ')}: ${why}\n`]);
    const [, ofNobody] = await run([gone.args[0]!]);
    expect(ofNobody).to.contain(`a good delivery: Error: ${why}`);
  });

  it('tries no other machine, and says what it lacks', async () => {
    for (const [args, said] of [
      [['http://192.0.2.1/hooks'], 'must be an http or https URL on this machine'],
      [['http://user:word@127.0.0.1/hooks'], 'must be an http or https URL on this machine'],
      [['file:///etc/hosts'], 'must be an http or https URL on this machine'],
      [
        ['http://127.0.0.1:1/hooks', '--event', 'http://127.0.0.1:1/'],
        'pass both --event and --effects',
      ],
      [[], 'the URL of one webhook receiver'],
      [['--nothing'], 'nothing'],
    ] as const) {
      const [code, text] = await run(args);
      expect([code, text.includes(said)], text).to.deep.equal([2, true]);
    }
    const [code, text] = await run(['http://127.0.0.1:1/hooks'], '');
    expect([code, text.includes('PAYSTATE_WEBHOOK_SECRET')]).to.deep.equal([2, true]);
  });
});
