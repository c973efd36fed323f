import { expect } from 'chai';
import { userMessage } from 'paystate';
import { decide, decisionTable, serviceCodes } from 'paystate/endpoints';
import { en } from 'paystate/messages/en';
import { fr } from 'paystate/messages/fr';
import { describe, it, itLong } from '#test';
import { allEndpoints } from '../contract/endpoint-tables.ts';
import { DRAFT, failureOf, openShop, repeats, rows } from './shop.ts';

const FIELD_CODES = [
  'INVALID_DATA',
  'INVALID_DATA_REQUIRED',
  'INVALID_DATA_LENGTH',
  'INVALID_DATA_MINLENGTH',
  'INVALID_DATA_MAXLENGTH',
  'INVALID_DATA_VALUE',
  'INVALID_DATA_CURRENCY',
];
const CODES = [...new Set([...Object.keys(serviceCodes), ...FIELD_CODES, 'A_CODE_OF_TOMORROW'])];
const table = decisionTable();
const PHASES = [...new Set(table.map(({ phase }) => phase))];
const REPEATS = [...new Set(table.map(({ idempotency }) => idempotency))];

describe('the decision table', () => {
  it('has 52 codes of the service and 7 of fields', () => {
    expect(Object.keys(serviceCodes)).to.have.length(52);
    expect(FIELD_CODES).to.have.length(7);
    expect(CODES).to.have.length(59); // INVALID_DATA is both, and one is unknown
  });

  itLong('has exactly one decision for every code, row and phase', () => {
    const cells = new Map<string, number>();
    for (const { code, idempotency: repeat, phase } of table)
      cells.set(`${code} ${repeat} ${phase}`, (cells.get(`${code} ${repeat} ${phase}`) ?? 0) + 1);
    for (const code of CODES)
      for (const { idempotency: repeat, method, path } of allEndpoints)
        for (const phase of PHASES) {
          const name = code in serviceCodes || FIELD_CODES.includes(code) ? code : '';
          expect(
            cells.get(`${name} ${repeat} ${phase}`),
            `${code} ${method} ${path} ${phase}`,
          ).to.equal(1);
          const cell = decide(code, repeat, phase);
          expect(cell).to.deep.equal(
            table.find(
              (one) => one.code === name && one.idempotency === repeat && one.phase === phase,
            ),
          );
        }
    expect([...cells.values()].every((count) => count === 1)).to.equal(true);
  });

  itLong('names the scope that an operation lacks, and no other one', () => {
    let scopes = 0;
    for (const code of CODES)
      for (const endpoint of allEndpoints)
        for (const phase of PHASES) {
          const { neededScope, ...cell } = decide(code, endpoint, phase);
          expect(cell).to.deep.equal(decide(code, endpoint.idempotency, phase));
          expect(neededScope, `${code} ${endpoint.operation} ${phase}`).to.equal(
            cell.next === 'get-scope' ? endpoint.scope || undefined : undefined,
          );
          if (neededScope) scopes++;
        }
    expect(scopes).to.be.above(40);
    expect(decide('FORBIDDEN', 'safe', 'responded')).not.to.have.property('neededScope');
  });

  itLong(
    'has the text that userMessage says of such an error, and never that nothing was done',
    async () => {
      for (const catalogue of [en, fr])
        for (const { code, outcome, userMessage: text } of decisionTable(catalogue)) {
          expect(text, code)
            .to.be.a('string')
            .and.not.match(/[{}]|undefined/);
          if (outcome === 'not-done') expect(text, code).not.to.equal(catalogue.OUTCOME_UNKNOWN);
        }
      for (const phase of ['sent', 'restarted'] as const)
        expect(decide('BALANCE_TOO_LOW', 'none', phase, en).userMessage).to.equal(
          en.OUTCOME_UNKNOWN,
        );
      expect(table.some((cell) => 'userMessage' in cell)).to.equal(false);
      const { sandbox, client, run } = openShop({ maxAttempts: 1 });
      for (const [code, status] of Object.entries(serviceCodes)) {
        sandbox.fault({ nth: 1, action: { status, code } });
        const failure = await failureOf(run(client.invoices.create(DRAFT)));
        const { idempotency } = allEndpoints.find(
          ({ operation }) => operation === 'invoices.create',
        )!;
        // the client has a key, and reads the invoice that exists
        if (failure.next === 'fix-credential' || failure.code !== code) continue;
        expect(decide(code, idempotency, 'responded', en).userMessage, code).to.equal(
          userMessage(failure, en),
        );
      }
    },
  );

  it('never repeats an unsafe write that may have been sent', () => {
    const unsafe = table.filter(
      ({ idempotency: repeat, outcome }) =>
        (repeat === 'same-request' || repeat === 'none') && outcome === 'unknown',
    );
    expect(unsafe.length).to.be.above(300);
    expect(
      unsafe.filter(
        ({ code, next }) =>
          next !== (code === 'DUPLICATE_PAYMENT_QUOTE' ? 'new-quote' : 'read-first'),
      ),
    ).to.deep.equal([]); // a quote moves nothing
    const restarted = table.filter(
      ({ idempotency: repeat, phase }) => repeat === 'key-then-read-money' && phase === 'restarted',
    );
    expect(restarted.filter(({ next }) => next !== 'read-first')).to.deep.equal([]);
  });

  it('says unknown wherever a command may have been sent and no answer of the service says otherwise', () => {
    for (const { code, idempotency: repeat, phase, outcome } of table) {
      const isHarmless = repeat === 'safe' || repeat === 'pure';
      if (phase === 'sent' || phase === 'restarted')
        expect(outcome, `${code} ${repeat} ${phase}`).to.equal(
          isHarmless && !/^(IDEMPOTENCY_KEY_EXPIRED|EXISTS_UNREAD|RESPONSE_MISMATCH)$/.test(code)
            ? 'not-done'
            : 'unknown',
        );
      if (
        phase === 'responded' &&
        code in serviceCodes &&
        serviceCodes[code as keyof typeof serviceCodes] >= 500 &&
        !isHarmless
      )
        expect(outcome).to.equal('unknown');
    }
  });

  it('never says not-done where the service says that it is there, or under way', () => {
    for (const { code, idempotency: repeat, phase, outcome, next } of table) {
      if (
        phase !== 'responded' ||
        repeat === 'safe' ||
        repeat === 'pure' ||
        !/^PROCESSING_|^DUPLICATE_|_PROCESSED$|_INITIATED$/.test(code)
      )
        continue;
      expect(outcome, `${code} ${repeat}`).to.equal('unknown');
      expect(next, `${code} ${repeat}`).not.to.be.oneOf(['fix-input', 'ask-user', 'wait']);
    }
  });

  it('covers every way of repeating that a row has', () => {
    expect(REPEATS).to.include.members([
      ...new Set(allEndpoints.map(({ idempotency }) => idempotency)),
    ]);
  });

  it('means something else on a quote than on execute', () => {
    for (const phase of ['sent', 'restarted'] as const) {
      expect(decide('GATEWAY_TIMEOUT', 'key-only', phase)).to.include({
        outcome: 'unknown',
        next: 'new-quote',
      });
      expect(decide('GATEWAY_TIMEOUT', 'same-request', phase)).to.include({
        outcome: 'unknown',
        next: 'read-first',
      });
    }
    expect(decide('DUPLICATE_PAYMENT_QUOTE', 'key-only', 'responded').next).to.equal('new-quote');
    expect(decide('INVALID_DATA_MAXLENGTH', 'none', 'responded').next).to.equal('fix-input');
    expect(decide('A_CODE_OF_TOMORROW', 'none', 'responded')).to.include({
      code: '',
      outcome: 'not-done',
      next: 'ask-user',
    });
    expect(decide('TIMEOUT', 'key-only', 'sent').next).to.equal('new-quote');
  });

  for (const repeat of repeats)
    itLong(`is what a client does: all codes answered to a row that is ${repeat}`, async () => {
      for (const [code, status] of Object.entries(serviceCodes)) {
        const { sandbox, client, run } = openShop({ maxAttempts: 1 });
        const { invoiceId } = await run(client.invoices.create(DRAFT));
        sandbox.fault({ action: { status, code } });
        const { outcome, next } = await failureOf(run(rows[repeat](client, invoiceId)));
        const decision = decide(code, repeat, 'responded');
        const step = decision.next === 'login' ? 'fix-credential' : decision.next; // the client has a key
        expect([code, outcome, next]).to.deep.equal([code, decision.outcome, step]);
      }
    });
});
