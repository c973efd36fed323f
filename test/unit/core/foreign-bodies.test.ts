// Protects: an error about a response that is not the service's shows how its body begins, and never a secret of the request.
import { expect } from 'chai';
import { createClient, PaystateError, request } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';

const TOKEN = 'C4n4ry.key/0123456789+abc=';
const SECRET = 'whsec-0123456789abcdef';

/** What a command fails with where something before the service responds with this. */
async function errorOf(
  body: (sent: { headers: Record<string, string>; body: string }) => string,
  status = 502,
): Promise<PaystateError> {
  const sandbox = createSandbox();
  const client = createClient({
    ...sandbox.clientOptions,
    apiKey: TOKEN,
    fetch: async (_url, init) =>
      new Response(
        body({ headers: init.headers as Record<string, string>, body: `${init.body}` }),
        {
          status,
        },
      ),
  });
  const draft = { secret: SECRET, accountNumber: 'DE02 1203 0000 0000 2020 51', note: 'a "word"' };
  try {
    await sandbox.run(request(client, 'POST', '/v1/things', { body: draft }));
  } catch (thrown) {
    if (thrown instanceof PaystateError) return thrown;
    throw thrown;
  }
  throw new Error('the call has succeeded');
}

describe('a body that is not the service’s', () => {
  it('is shown as plain text, in the error and in its JSON', async () => {
    const page =
      '<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title><style>p { color: red }</style></head>' +
      '<body>\n\n<p class="x">The upstream &amp; its&#10;host</p><script>alert("1")</script></body></html>';
    const error = await errorOf(() => page);
    expect(error).to.include({ code: 'NOT_FROM_SERVICE', status: 502 });
    expect(error.excerpt).to.equal('502 Bad Gateway The upstream &amp; its&#10;host');
    expect(JSON.parse(JSON.stringify(error))).to.include({ excerpt: error.excerpt });
  });

  it('is bounded, also where it never ends a tag', async () => {
    expect((await errorOf(() => 'word '.repeat(1_000_000 / 5))).excerpt).to.have.length(200);
    expect((await errorOf(() => '<script>'.repeat(100_000))).excerpt).to.equal(undefined);
    expect((await errorOf(() => 'x<'.repeat(100_000))).excerpt).to.equal('x');
  });

  it('keeps every letter around what the request carried', async () => {
    const part = SECRET.slice(0, 9);
    const body = `before ${SECRET} between ${part}; after`;
    expect((await errorOf(() => body)).excerpt).to.equal('before [secret] between [secret]; after');
  });

  it('is absent where nothing is left to show', async () => {
    for (const body of ['', '  \n\t', '<html></html>', '\0\x1b'])
      expect(await errorOf(() => body)).not.to.have.property('excerpt');
  });

  it('holds nothing that the request carried, in whole or in part', async () => {
    const repeats: ((sent: { headers: Record<string, string>; body: string }) => string)[] = [
      ({ headers, body }) => `Bad request: ${headers['authorization']} ${body}`,
      ({ body }) => `Refused: ${JSON.stringify({ received: body })}`,
      () => `token ${TOKEN.slice(0, 15)} then ${SECRET.slice(5)}`,
      () => `cookie=${encodeURIComponent(TOKEN)}`,
      () => `line ${SECRET.slice(0, 10)}\n${SECRET.slice(10)} and DE02 1203  0000\n0000 2020 51`,
      () => `${'.'.repeat(4_086)}${TOKEN}`,
    ];
    for (const repeat of repeats) {
      const { excerpt = '' } = await errorOf(repeat, 400);
      for (const secret of [
        TOKEN,
        encodeURIComponent(TOKEN),
        SECRET,
        'DE02 1203 0000 0000 2020 51',
      ])
        for (let at = 0; at + 8 <= secret.length; at++)
          expect(excerpt).not.to.include(secret.slice(at, at + 8));
    }
    expect((await errorOf(repeats[0]!, 400)).excerpt).to.match(
      /^Bad request: Bearer \[secret\] \{/,
    );
  });

  it('is not kept where the service itself has responded', async () => {
    const envelope = JSON.stringify({ data: { code: 'NOT_FOUND', status: 404, message: 'none' } });
    expect(await errorOf(() => envelope, 404)).not.to.have.property('excerpt');
  });
});
