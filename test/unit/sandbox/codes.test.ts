// Node only: the sandbox computes the same in every engine.
// Protects: every code of the service can be provoked, by what is the case and by a fault, and a client says it by its name.
import { expect } from 'chai';
import { createClient, type ServiceCode } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { createSandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { FIELD_WAYS, WAYS } from '../../codes/ways.ts';
import { openCodes } from '../../codes/world.ts';
import { failureOf } from '../core/shop.ts';

const codes = Object.keys(serviceCodes) as readonly ServiceCode[];

describe('sandbox: codes', () => {
  it('are 52, each with a way or a reason why there is none', () => {
    expect(Object.keys(WAYS)).to.have.members(codes);
    expect([codes.length, Object.keys(FIELD_WAYS).length]).to.deep.equal([52, 7]);
    expect(codes.filter((code) => 'why' in WAYS[code])).to.deep.equal([
      'INTERNAL_SERVER_ERROR',
      'BAD_GATEWAY',
      'GATEWAY_TIMEOUT',
    ]);
  });

  itLong('come by what is the case', async () => {
    for (const code of codes) {
      const way = WAYS[code];
      if ('why' in way) continue;
      const { status, text, at } = await way.ask(openCodes(way.world));
      expect([status, at('data.code'), at('data.status')], `${way.when}: ${text}`).to.deep.equal([
        serviceCodes[code],
        code,
        serviceCodes[code],
      ]);
    }
  });

  it('of single fields come so too, with what they carry', async () => {
    for (const [code, way] of Object.entries(FIELD_WAYS)) {
      const { at, text } = await way.ask(openCodes(way.world));
      const errors = at('data.validationErrors') as Readonly<
        Record<string, readonly { code: string; values: object }[]>
      >;
      expect([at('data.code'), errors[way.field]?.[0]?.code], `${way.when}: ${text}`).to.deep.equal(
        ['INVALID_DATA', code],
      );
      expect(errors[way.field]![0]!.values).to.include({ field: way.field });
    }
  });

  it('come by a fault, and a client says them', async () => {
    for (const code of codes) {
      const sandbox = createSandbox({ signed: false });
      const client = createClient({ ...sandbox.clientOptions, maxAttempts: 1 });
      sandbox.fault({ action: { status: serviceCodes[code], code } });
      expect(await failureOf(sandbox.run(client.balances.list())), code).to.include({
        code,
        status: serviceCodes[code],
      });
    }
  });
});
