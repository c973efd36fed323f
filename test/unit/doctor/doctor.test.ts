// Protects: what is wrong with an account is said by its name, a sound one is said to be sound, and finding it out costs little.
import { expect } from 'chai';
import { createClient, InputError, type RequestView } from 'paystate';
import { checkAddress, doctor, type DoctorOptions } from 'paystate/doctor';
import { rejectDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { failureOf, json, reasonOf, refusal } from '../core/shop.ts';
import { messageOf, openShop, problemsOf, unknownOf } from './shop.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HTML = '<!doctype html><title>Sign in</title>';
const OWN = { code: 'INPUT_INVALID', outcome: 'not-done' } as const;
const NO_WEBHOOKS: DoctorOptions = { webhooks: false };

describe('a doctor', () => {
  it('finds nothing wrong with a key that may do everything, and reads once for a scope', async () => {
    const { examine, subscribe, sandbox } = openShop();
    await subscribe();
    const before = sandbox.log.length;
    const report = await examine();
    expect(report.ok).to.equal(true);
    expect(problemsOf(report)).to.deep.equal([]);
    expect(unknownOf(report)).to.deep.equal(['SCOPES_UNKNOWN']);
    expect(report.scopes).to.include({
      'partner.invoice.read': 'yes',
      'partner.payment.read': 'yes', // by an id that no payment has
      'partner.invoice.create': 'unknown', // only a change shows it
      'partner.payment-quote.lightning.create': 'unknown', // its read calls another server
    });
    expect(messageOf(report, 'LIMITS_OK')).to.match(/^limits left: .*send \$/);
    const sent = sandbox.log.slice(before);
    const scopes = Object.values(report.scopes).filter((answer) => answer === 'yes');
    expect(new Set(sent.map(({ method }) => method))).to.deep.equal(new Set(['GET']));
    expect(sent, 'and one read of the subscriptions').to.have.length(scopes.length + 1);
  });

  it('names the scopes that a key lacks, or those of them that are needed', async () => {
    const { examine, sandbox } = openShop();
    const scopes = ['partner.invoice.read', 'partner.webhooks.manage'];
    const reader = createClient(sandbox.clientOptionsFor({ scopes }));
    const report = await examine(NO_WEBHOOKS, reader);
    expect(new Set(problemsOf(report))).to.deep.equal(new Set(['SCOPE_MISSING']));
    expect(report.scopes).to.include({
      'partner.invoice.read': 'yes',
      'partner.balances.read': 'no',
      'partner.payout.initiate': 'unknown',
    });
    const messages = report.findings.map(({ message }) => message);
    expect(messages).to.include('the key lacks partner.balances.read: balances.list');
    expect(unknownOf(report)).to.include('LIMITS_UNKNOWN');
    const enough = await examine({ ...NO_WEBHOOKS, scopes: ['partner.invoice.read'] }, reader);
    expect(problemsOf(enough)).to.deep.equal([]);
    const lacking = await examine({ ...NO_WEBHOOKS, scopes: ['partner.payout.read'] }, reader);
    expect(problemsOf(lacking)).to.deep.equal(['SCOPE_MISSING']);
  });

  it('says that webhooks were not checked where the key is not allowed to read subscriptions', async () => {
    const { examine, sandbox } = openShop();
    const reader = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    const report = await examine({ scopes: ['partner.invoice.read'] }, reader);
    expect(report.ok).to.equal(true);
    expect(messageOf(report, 'WEBHOOK_UNKNOWN')).to.match(
      /^the key is not allowed to read subscriptions/,
    );
  });

  it('names a key that the service does not know, by one request', async () => {
    const { examine, sandbox } = openShop({ apiKey: 'a-key-that-nobody-knows' });
    const report = await examine();
    const codes = report.findings.map(({ code }) => code); // a refusal has a date, too
    expect([report.ok, codes]).to.deep.equal([false, ['ADDRESS_OK', 'KEY_REFUSED', 'CLOCK_OK']]);
    expect(messageOf(report, 'KEY_REFUSED')).to.equal('the service rejects this key');
    expect(sandbox.log).to.have.length(1);
    expect(JSON.stringify(report)).not.to.include('nobody-knows');
  });

  it('names a token that is refused, and one that the client cannot get', async () => {
    const { sandbox, examine } = openShop();
    const { apiKey: _, ...options } = sandbox.clientOptions;
    const refused = createClient({ ...options, token: () => 'a-token-that-nobody-knows' });
    const report = await examine({}, refused);
    expect(messageOf(report, 'KEY_REFUSED')).to.equal('the service rejects this token');
    const without = createClient({ ...options, token: () => Promise.reject(new Error('SECRET')) });
    const other = await examine({}, without);
    expect(problemsOf(other)).to.deep.equal(['TOKEN_UNAVAILABLE']);
    expect(JSON.stringify(other)).not.to.include('SECRET');
  });

  it('names what is wrong with the text of an address', () => {
    const codeOf = (address: string) => checkAddress(address).code;
    expect(codeOf('http://pay.example')).to.equal('ADDRESS_NOT_SECURE');
    expect(codeOf('http://127.0.0.1:4020')).to.equal('ADDRESS_OK');
    expect(codeOf('pay.example')).to.equal('ADDRESS_INVALID');
    expect(codeOf('ftp://pay.example')).to.equal('ADDRESS_INVALID');
    expect(codeOf('https://pay.example/?key=1')).to.equal('ADDRESS_INVALID');
    expect(checkAddress('https://me:secret@pay.example/api').message).to.match(
      /use https:\/\/pay\.example\/api, and set apiKey$/,
    );
    expect(codeOf('https://pay.example/v1beta')).to.equal('ADDRESS_OK');
    expect(checkAddress(new URL('https://pay.example/api/v1/'))).to.deep.equal({
      subject: 'address',
      verdict: 'problem',
      code: 'ADDRESS_HAS_VERSION',
      message: 'the address ends with /v1, which the SDK adds: use https://pay.example/api',
    });
  });

  it('finds nothing wrong with the address of a client, which refuses what the doctor would', async () => {
    const { sandbox, examine, client } = openShop();
    const { baseUrl } = sandbox.clientOptions;
    const versioned = `${String(baseUrl)}/v1`;
    const { message } = checkAddress(versioned);
    expect(() => createClient({ ...sandbox.clientOptions, baseUrl: versioned })).to.throw(
      message.replace('the address', 'baseUrl:'),
    );
    expect(problemsOf(await examine(NO_WEBHOOKS, client))).to.deep.equal([]);
  });

  it('names a path where there is no page that it belongs to', async () => {
    const { sandbox, examine } = openShop();
    const { apiKey: _, ...options } = sandbox.clientOptions;
    const fetch = async (): Promise<Response> => new Response(null, { status: 404 });
    const relayed = createClient({ ...options, baseUrl: '/pay', token: 'a-token', fetch });
    const isPage = 'document' in globalThis;
    expect(problemsOf(await examine({}, relayed))).to.deep.equal([
      isPage ? 'ADDRESS_NOT_SERVICE' : 'ADDRESS_INVALID',
    ]);
  });

  it('names another server: a page of a proxy, a redirect, a 404', async () => {
    const actions = [
      { status: 200, html: HTML },
      { status: 404, html: HTML },
      { status: 502, html: HTML },
      { status: 302, headers: { location: 'https://login.example' } },
    ];
    for (const action of actions) {
      const { sandbox, examine } = openShop();
      sandbox.fault({ action });
      const report = await examine();
      expect(problemsOf(report), String(action.status)).to.deep.equal(['ADDRESS_NOT_SERVICE']);
      expect(messageOf(report, 'ADDRESS_NOT_SERVICE')).to.include(`status ${action.status}`);
      expect(report.scopes).to.deep.equal({});
    }
  });

  it('does not say that a key is known where no response shows it', async () => {
    const { examine } = openShop({ fetch: async () => json('welcome')({}) });
    const report = await examine();
    expect(unknownOf(report)).to.include.members(['KEY_UNKNOWN', 'CLOCK_UNKNOWN']);
    expect(report.findings.map(({ code }) => code)).not.to.include('SCOPES_OK');
  });

  it('names an address without a response, and a service that fails', async () => {
    const { sandbox, examine } = openShop();
    const end = sandbox.fault({ action: 'lost-before' });
    const silent = await examine();
    const codes = silent.findings.map(({ code }) => code);
    expect(codes).to.deep.equal(['ADDRESS_UNREACHABLE', 'CLOCK_UNKNOWN']);
    expect(sandbox.log, 'it is asked once').to.have.length(1);
    expect(messageOf(silent, 'ADDRESS_UNREACHABLE')).to.include('sandbox.invalid');
    end();
    const failing = openShop({ fetch: async () => refusal(500, 'INTERNAL_SERVER_ERROR')({}) });
    expect(problemsOf(await failing.examine())).to.deep.equal(['SERVICE_AWAY']);
  });

  it('keeps what it knows where the service fails in the middle', async () => {
    const { sandbox, examine } = openShop();
    sandbox.fault({ path: '/v1/invoices', action: 'lost-before' });
    const report = await examine();
    expect(unknownOf(report)).to.deep.equal(['SERVICE_AWAY']);
    expect(report.scopes).to.include({ 'partner.balances.read': 'yes' });
    expect(report.scopes).not.to.have.property('partner.invoice.read');
  });

  it('leaves one scope unknown where only its path is missing or its response is unusable', async () => {
    const { sandbox, examine } = openShop();
    sandbox.fault({ path: '/v1/payouts', action: { status: 404, html: HTML } });
    sandbox.fault({ path: '/v1/deposits', action: { status: 200, html: HTML } });
    const report = await examine(NO_WEBHOOKS);
    expect(report.scopes).to.include({
      'partner.payout.read': 'unknown',
      'partner.deposit.manage': 'unknown',
      'partner.rates.ticker': 'yes',
    });
    expect(report.ok).to.equal(true);
  });

  it('leaves one scope unknown where a read is refused for another reason', async () => {
    const { sandbox, examine } = openShop();
    const refusals = [
      ['payouts', 400, 'INVALID_DATA', 'payout.read'],
      ['deposits', 409, 'DUPLICATE_INVOICE', 'deposit.manage'],
      ['invoices', 422, 'UNPROCESSABLE_ENTITY', 'invoice.read'],
    ] as const;
    for (const [path, status, code] of refusals)
      sandbox.fault({ path: `/v1/${path}`, action: { status, code } });
    const { scopes, findings, ok } = await examine(NO_WEBHOOKS);
    for (const [, status, , scope] of refusals)
      expect(scopes[`partner.${scope}`], String(status)).to.equal('unknown');
    expect(findings.map(({ code }) => code)).not.to.include('SCOPE_MISSING');
    expect(ok).to.equal(true);
  });

  it('names a clock that is an hour off', async () => {
    const { sandbox, examine } = openShop();
    const skewed = (clockSkew: number) => createClient(sandbox.clientOptionsFor({ clockSkew }));
    const ahead = await examine(NO_WEBHOOKS, skewed(HOUR));
    expect(problemsOf(ahead)).to.deep.equal(['CLOCK_WRONG']);
    expect(messageOf(ahead, 'CLOCK_WRONG')).to.include('is 60 min ahead of the service');
    const behind = await examine(NO_WEBHOOKS, skewed(-3 * HOUR));
    expect(messageOf(behind, 'CLOCK_WRONG')).to.include('is 3 h behind the service');
    expect(problemsOf(await examine(NO_WEBHOOKS, skewed(30_000)))).to.deep.equal([]);
  });

  it('takes the time from the fastest response', async () => {
    const { sandbox, examine } = openShop({ attemptTimeout: 10 * HOUR, callTimeout: 10 * HOUR });
    const action = { delay: HOUR, processed: true };
    sandbox.fault({ path: '/v1/events', action }); // its date is an hour old when it comes, the last
    expect(problemsOf(await examine(NO_WEBHOOKS))).to.deep.equal([]);
  });

  it('names a block of the service, and its end', async () => {
    const { sandbox, examine } = openShop();
    sandbox.fault({
      action: { status: 429, code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '3600' } },
    });
    const report = await examine();
    expect(problemsOf(report)).to.deep.equal(['BLOCKED']);
    expect(messageOf(report, 'BLOCKED')).to.include('until 2026-01-05T10:00:00.000Z');
    const again = await examine();
    expect(problemsOf(again), 'the client knows the block').to.deep.equal(['BLOCKED']);
    expect(sandbox.log, 'and sends no more').to.have.length(1);
    const proxy = openShop();
    proxy.sandbox.fault({ action: { status: 429, html: HTML } });
    expect(problemsOf(await proxy.examine())).to.deep.equal(['BLOCKED']);
  });

  it('names a rate limit that is used up, instead of waiting for it', async () => {
    const others = { limit: 5, window: 10 * MINUTE, block: HOUR };
    const { sandbox, examine } = openShop({ rateLimits: { others } });
    const start = sandbox.clock.now();
    const report = await examine();
    expect(problemsOf(report)).to.deep.equal(['RATE_LIMIT_USED']);
    expect(messageOf(report, 'RATE_LIMIT_USED')).to.include('until 2026-01-05T09:10:');
    expect(sandbox.clock.now() - start).to.be.lessThan(2_000);
    expect(report.scopes).to.include({ 'partner.balances.read': 'yes' });
  });

  it('tells how far it is, and stops when it is told to', async () => {
    const { examine, sandbox } = openShop();
    const seen: { readonly done: number; readonly total: number }[] = [];
    const report = await examine({ ...NO_WEBHOOKS, onProgress: (one) => void seen.push(one) });
    const total = Object.keys(report.scopes).length;
    expect(seen[0]).to.deep.equal({ done: 0, total });
    expect(seen.at(-1)).to.deep.equal({ done: total, total });
    expect(seen.map(({ done }) => done)).to.deep.equal([...Array(total + 1).keys()]);
    const before = sandbox.log.length;
    const stop = new AbortController();
    const reason = new Error('the user has left');
    const onProgress = ({ done }: { readonly done: number }) => done === 2 && stop.abort(reason);
    const { signal } = stop;
    expect(await reasonOf(examine({ onProgress, signal }))).to.equal(reason);
    expect(sandbox.log.length - before).to.equal(2);
    const own = AbortSignal.abort(new InputError('one of our own', OWN));
    expect(await reasonOf(examine({ signal: own }))).to.equal(own.reason);
  });

  it('is seen by observers, and tells no check for drift', async () => {
    const reasons = new Set<string>();
    const onRequest = ({ reason, priority }: RequestView) => reasons.add(`${reason} ${priority}`);
    const { examine, sandbox } = openShop({ onRequest, drift: rejectDrift });
    sandbox.fault({ action: { rewrite: 'extra-members' } });
    const report = await examine(NO_WEBHOOKS);
    expect(unknownOf(report)).to.deep.equal(['SCOPES_UNKNOWN']);
    expect(report.scopes).to.include({ 'partner.account.profile.read-own': 'yes' });
    expect(reasons).to.deep.equal(new Set(['doctor low']));
  });

  it('refuses options that cannot be right before it sends anything', async () => {
    const { client, sandbox } = openShop();
    const wrong: readonly (readonly [string, unknown])[] = [
      ['scopes', { scopes: 'partner.invoice.read' }],
      ['scopes[1]', { scopes: ['partner.invoice.read', 'partner.invoice.reed'] }],
      ['webhooks', { webhooks: true }],
      ['webhooks.secret', { webhooks: { secret: 1 } }],
      ['webhooks.askReceivers', { webhooks: { askReceivers: 'no' } }],
      ['webhooks.deliver', { webhooks: { deliver: 'network' } }],
      ['options', null],
      ['Drift', { Drift: true }],
      ['webhooks.Secret', { webhooks: { Secret: 'x' } }],
      ['drift', { drift: 'yes' }],
      ['onProgress', { onProgress: 1 }],
      ['signal', { signal: true }],
    ];
    for (const [field, options] of wrong) {
      const error = await failureOf(doctor(client, options as DoctorOptions));
      expect([error.kind, Object.keys(error.validationErrors ?? {})]).to.deep.equal([
        'input',
        [field],
      ]);
    }
    expect((await failureOf(doctor({} as typeof client))).kind).to.equal('input');
    expect(sandbox.log).to.have.length(0);
  });
});
