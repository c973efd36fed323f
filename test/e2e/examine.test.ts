// Protects: the examiner reads a service and does nothing else to it. It sends few requests, none
// after a 429, says what is false, and shows nothing of the account.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { describe, it } from '#test';
import { askOf, AT_ONCE, type Command, type Outcome, outcome, withCommand } from './command.ts';

interface Result {
  readonly id: string;
  readonly verdict: 'true' | 'false' | 'cannot tell';
  readonly expected?: string;
  readonly got?: string;
  readonly question?: string;
}

interface Report {
  readonly facts: number;
  readonly checked: number;
  readonly true: number;
  readonly false: number;
  readonly requests: number;
  readonly stop?: string;
  readonly results: readonly Result[];
}

/** A request that arrived, and what a lie makes of the response to it. */
interface Arrived {
  readonly line: string;
  readonly count: number;
  readonly status: number;
  readonly text: string;
}

type Lie = (arrived: Arrived) => { readonly status?: number; readonly text?: string };

const truth: Lie = () => ({});

/** The options of a scheduled examination. */
const CANARY = ['--read-only', '--brief'] as const;

/** Stands before a sandbox: writes down each request, and can change responses. */
const withFront = async (
  { url }: Command,
  lie: Lie,
  use: (url: string, arrived: readonly string[]) => Promise<void>,
): Promise<void> => {
  const arrived: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const line = `${incoming.method} ${incoming.url}`;
    arrived.push(line);
    const { authorization = '' } = incoming.headers;
    const response = await fetch(url + incoming.url, {
      method: incoming.method!,
      headers: authorization ? { authorization } : {},
    });
    const text = await response.text();
    const told = lie({ line, count: arrived.length, status: response.status, text });
    outgoing.writeHead(told.status ?? response.status, { 'content-type': 'application/json' });
    outgoing.end(told.text ?? text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await use(`http://127.0.0.1:${port}`, arrived).finally(() => {
    server.closeAllConnections();
    server.close();
  });
};

const examine = (
  url: string,
  key: string,
  ...options: readonly string[]
): Promise<Outcome & { readonly report: Report }> =>
  outcome(['examine', url, '--json', ...options], { PAYSTATE_API_KEY: key }).then((ended) => {
    expect(ended.complaints).to.equal('');
    expect(ended.output, 'no key').not.to.include(key);
    return { ...ended, report: JSON.parse(ended.output) as Report };
  });

const falseIn = ({ results }: Report): readonly Result[] =>
  results.filter(({ verdict }) => verdict === 'false');

/** An account with a few invoices, one of them cancelled. */
const fill = async (command: Command): Promise<void> => {
  for (const currency of ['USD', 'EUR', 'GBP', 'EUR']) {
    const draft = { amount: { amount: '7.00', currency }, description: 'Secret tea' };
    const { status, body } = await askOf(command)('POST', '/v1/invoices', draft);
    expect(status).to.equal(201);
    if (currency === 'GBP')
      await askOf(command)('PATCH', `/v1/invoices/${String(body['invoiceId'])}/cancel`);
  }
};

describe('examine', AT_ONCE, () => {
  it('reads a service and does nothing else, with a fifth of the rate limit at most', async () => {
    await withCommand(async (command) => {
      await fill(command);
      await withFront(command, truth, async (url, arrived) => {
        const { code, report } = await examine(url, command.key);
        expect(arrived.filter((line) => !/^GET \/(v[12]\b|balances$)/.test(line))).to.deep.equal(
          [],
        );
        expect(falseIn(report)).to.deep.equal([]);
        expect([code, report.stop]).to.deep.equal([0, undefined]);
        expect(report.facts).to.be.above(1_400);
        expect(report.checked).to.be.above(200);
        expect(report.true).to.equal(report.checked);
        expect(arrived).to.have.length(report.requests);
        expect(arrived.length).to.be.within(100, 200);
        const silent = report.results.filter(({ question }) => question === '');
        expect(silent, 'each fact that was not checked says why').to.deep.equal([]);
      });
    });
  });

  it('says a lie about one member, with what was expected and the form of what was seen', async () => {
    const lie: Lie = ({ line, text }) =>
      line === 'GET /v1/invoices' ? { text: text.replaceAll(/\+00:00"/g, '"') } : {};
    await withCommand(async (command) => {
      await fill(command);
      await withFront(command, lie, async (url) => {
        const { code, report, output } = await examine(url, command.key, '--section', 'invoices');
        expect(code).to.equal(1);
        const [found, ...others] = falseIn(report);
        expect(others).to.deep.equal([]);
        expect(found!.id).to.equal('invoices-5');
        expect(found!.expected).to.include('a date-time with offset');
        expect(found!.got).to.match(/^0000-00-00X00:00:00(\.0+)?$/);
        expect(output).not.to.include('Secret tea');
        const plain = await outcome(['examine', url, '--section', 'invoices'], {
          PAYSTATE_API_KEY: command.key,
        });
        expect(plain.output).to.match(
          /^false invoices-5 \(Invoice\) .*\n {2}expected .*\n {2}seen /m,
        );
        expect(plain.output).to.match(
          /^not ok examine: \d+ facts, \d+ checked, \d+ true, 1 false, /m,
        );
      });
    });
  });

  it('is a canary with --read-only --brief: silent where all is well, and sends only GET', async () => {
    await withCommand(async (command) => {
      await fill(command);
      await withFront(command, truth, async (url, arrived) => {
        const key = { PAYSTATE_API_KEY: command.key };
        const { code, output, complaints } = await outcome(['examine', url, ...CANARY], key);
        expect([code, output, complaints]).to.deep.equal([0, '', '']);
        expect(arrived.length).to.be.above(100);
        expect(arrived.filter((line) => !line.startsWith('GET '))).to.deep.equal([]);
      });
    });
  });

  it('is a canary that says in one line what the service does otherwise', async () => {
    const some = [...CANARY, '--only', 'not found'];
    const drift: Lie = ({ status, text }) =>
      status === 404 ? { text: text.replaceAll('"NOT_FOUND"', '"MISSING"') } : {};
    await withCommand(async (command) => {
      await fill(command);
      await withFront(command, drift, async (url, arrived) => {
        const key = { PAYSTATE_API_KEY: command.key };
        const { code, output } = await outcome(['examine', url, ...some], key);
        expect(code).to.equal(1);
        expect(output).to.match(
          /^not ok examine: \d+ of \d+ false: [\w-]+ \(.+\) .+ Expected .*NOT_FOUND.*, seen .*MISSING.*; also false: .+\n$/,
        );
        expect(output).not.to.include('Secret tea');
        expect(arrived.filter((line) => !line.startsWith('GET '))).to.deep.equal([]);
        const { code: again, report } = await examine(url, command.key, ...some);
        expect(again).to.equal(1);
        expect(report.results.map(({ verdict }) => verdict)).to.deep.equal(
          Array.from({ length: report.false }, () => 'false'),
        );
      });
    });
  });

  it('is a canary that notices a state with another name', async () => {
    const renamed: Lie = ({ line, text }) =>
      line.startsWith('GET /v1/invoices') ? { text: text.replaceAll('"UNPAID"', '"OPEN"') } : {};
    await withCommand(async (command) => {
      await fill(command);
      await withFront(command, renamed, async (url) => {
        const key = { PAYSTATE_API_KEY: command.key };
        const { code, output } = await outcome(['examine', url, ...CANARY], key);
        expect(code).to.equal(1);
        expect(output).to.match(/invoices shows states .*UNPAID.*, seen OPEN/);
      });
    });
  });

  it('is a canary that tells a service that is away from one that does otherwise', async () => {
    const away = await outcome(['examine', 'http://127.0.0.1:9', ...CANARY], {
      PAYSTATE_API_KEY: 'some-key',
    });
    expect(away.code).to.equal(3);
    expect(away.output).to.equal(
      'not ok examine: 0 facts checked, none false: the service could not be reached\n',
    );
    const writing = await outcome(['examine', '--sandbox', ...CANARY]);
    expect(writing.code).to.equal(2);
    expect(writing.complaints).to.match(/--read-only/);
  });

  it('sends nothing after a 429, and calls no fact false for it', async () => {
    const LIMITED = JSON.stringify({ data: { code: 'RATE_LIMIT_EXCEEDED', status: 429 } });
    const lie: Lie = ({ count }) => (count === 4 ? { status: 429, text: LIMITED } : {});
    await withCommand((command) =>
      withFront(command, lie, async (url, arrived) => {
        const { code, report } = await examine(url, command.key);
        expect([code, report.stop, report.false]).to.deep.equal([6, 'limited', 0]);
        expect(arrived).to.have.length(4);
      }),
    );
  });

  it('sends as many requests as it is allowed, and says why it went no further', async () => {
    await withCommand((command) =>
      withFront(command, truth, async (url, arrived) => {
        const { code, report } = await examine(url, command.key, '--requests', '5');
        expect([code, report.stop]).to.deep.equal([0, 'enough']);
        expect(arrived).to.have.length(5);
      }),
    );
  });

  it('ends where the key is refused, or nobody answers', async () => {
    await withCommand((command) =>
      withFront(command, truth, async (url, arrived) => {
        const refused = await examine(url, 'another-key', '--section', 'balances');
        expect([refused.code, refused.report.stop]).to.deep.equal([4, 'refused']);
        expect(arrived).to.have.length(1);
      }),
    );
    const away = await examine('http://127.0.0.1:9', 'some-key', '--section', 'balances');
    expect([away.code, away.report.stop]).to.deep.equal([3, 'unreachable']);
  });

  it('asks nobody where it is asked wrongly', async () => {
    const key = { PAYSTATE_API_KEY: 'some-key' };
    const ways: readonly (readonly [readonly string[], RegExp])[] = [
      [['examine'], /no address/],
      [['examine', 'http://shop.example'], /https/],
      [['examine', '--sandbox', 'https://shop.example'], /takes no address/],
      [['examine', 'https://shop.example', '--command'], /belongs to --sandbox/],
      [['examine', 'https://shop.example', '--only', 'no such fact'], /no fact/],
      [['examine', 'https://shop.example', '--requests', '1001'], /--requests/],
    ];
    for (const [args, words] of ways) {
      const { code, complaints } = await outcome(args, key);
      expect([code, args]).to.deep.equal([2, args]);
      expect(complaints).to.match(words);
    }
    const { code, complaints } = await outcome(['examine', 'https://shop.example']);
    expect(code).to.equal(2);
    expect(complaints).to.match(/no key/);
  });

  it('checks a sandbox of its own, in process and over a port', async () => {
    const some = ['examine', '--sandbox', '--json', '--section', 'balances'];
    for (const args of [some, [...some, '--command']]) {
      const { code, output } = await outcome(args);
      const { facts, checked, false: wrong } = JSON.parse(output) as Report;
      expect([code, facts, checked, wrong]).to.deep.equal([0, 12, 12, 0]);
    }
  });
});
