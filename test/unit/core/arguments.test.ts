// Protects: what plain JavaScript passes by mistake is refused at the call, by its name, and no
// error repeats the value, which may be a secret.
import { expect } from 'chai';
import {
  allowSecretInBrowser,
  type ClientOptions,
  createClient,
  InputError,
  logTo,
} from 'paystate';
import { describe, it } from '#test';

const baseUrl = 'https://payments.example';
const apiKey = 'key-of-a-test';

/** The text of the InputError that a call throws. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (thrown) {
    expect(thrown).to.be.instanceOf(InputError);
    return (thrown as InputError).message;
  }
  throw new Error('nothing was thrown');
}

const withOption = (option: object) => () =>
  createClient({ baseUrl, apiKey, [allowSecretInBrowser]: true, ...option } as ClientOptions);

describe('the gate for arguments', () => {
  it('refuses names that are not known, at every depth, and says which was meant', () => {
    const cases: readonly [object, string][] = [
      [{ callTimout: 1 }, 'callTimout: is an unknown field (did you mean callTimeout?)'],
      [
        { rateLimits: { invoice: {} } },
        'rateLimits.invoice: is an unknown field (did you mean invoices?)',
      ],
      [
        { rateLimits: { rates: { limit: 1, window: 1, block: 1, blocks: 1 } } },
        'rateLimits.rates.blocks: is an unknown field (did you mean block?)',
      ],
      [
        { capabilities: { lists: true } },
        'capabilities.lists: is an unknown field (did you mean list?)',
      ],
    ];
    for (const [option, text] of cases) expect(refusal(withOption(option))).to.equal(text);
  });

  it('refuses options of another type, and says what was given', () => {
    const cases: readonly [object, string][] = [
      [{ callTimeout: '5' }, 'callTimeout: must be a number, not a string'],
      [{ account: 5 }, 'account: must be a string, not a number'],
      [{ clock: [] }, 'clock: must be an object, not an array'],
      [{ fetch: null }, 'fetch: must be a function, not null'],
      [{ dedupeReads: 'no' }, 'dedupeReads: must be a boolean, not a string'],
      [{ capabilities: true }, 'capabilities: must be an object, not a boolean'],
      [{ rateLimits: { rates: 5 } }, 'rateLimits.rates: must be an object, not a number'],
      [{ rateLimits: { rates: { limit: 5 } } }, 'rateLimits.rates.window: is required: a number'],
      [
        { network: 'main' },
        'network: must be one of mainnet, testnet, signet, regtest (did you mean mainnet?)',
      ],
    ];
    for (const [option, text] of cases) expect(refusal(withOption(option))).to.equal(text);
  });

  it('refuses whatever stands in the place of options', () => {
    const others: readonly [unknown, string][] = [
      [5, 'a number'],
      ['https://payments.example', 'a string'],
      [[], 'an array'],
      [() => {}, 'a function'],
      [true, 'a boolean'],
      [new AbortController().signal, 'an AbortSignal'],
    ];
    for (const [other, name] of others) {
      const text = `options: must be an object, not ${name}`;
      expect(refusal(() => createClient(other as never))).to.equal(text);
      expect(refusal(() => logTo(console, other as never))).to.equal(text);
    }
    for (const none of [undefined, null])
      expect(refusal(() => createClient(none as never))).to.equal('baseUrl: is required');
  });

  it('takes options that a program leaves open, and loggers with more methods', () => {
    expect(withOption({ callTimeout: undefined, unknown: undefined })).not.to.throw();
    const logger = Object.assign(Object.create(console) as Console, { prefix: 'shop' });
    expect(withOption(logTo(logger))).not.to.throw();
  });
});
