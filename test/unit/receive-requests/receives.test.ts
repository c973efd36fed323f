import { expect } from 'chai';
import { decodeAddress, decodeBolt11, isPreimageOf } from 'paystate/lightning';
import { describe, it } from '#test';
import { asRead, failureOf } from '../core/shop.ts';
import { openTwo, sums, type Two } from '../payments/two.ts';

const EUR = (amount: string) => ({ amount, currency: 'EUR' });
const TEN_MINUTES = 600_000;

const receivesOf = ({ shop, run }: Two, id: string) =>
  run(shop.receiveRequests.listReceives(id).toArray({ limit: 100 }));

describe('receive requests', () => {
  it('are made for both rails, found and listed', async () => {
    const { sandbox, shop, run, events } = openTwo();
    const { value: request, status } = await run(
      shop.receiveRequests
        .create({
          bolt11: { amount: EUR('10.00'), description: 'Support our choir', expiryInSeconds: 600 },
          onchain: {},
        })
        .withResponse(),
    );
    expect([status, request.targetCurrency]).to.deep.equal([201, 'EUR']);
    const { invoice, paymentHash, btcAmount, requestedAmount, expires, description } =
      request.bolt11!;
    const read = decodeBolt11(invoice);
    expect([
      read.network,
      read.paymentHash,
      read.description,
      read.expirySeconds,
      description,
    ]).to.deep.equal(['testnet', paymentHash, 'Support our choir', 600, 'Support our choir']);
    expect([requestedAmount, Date.parse(expires)]).to.deep.equal([EUR('10.00'), read.expiresAt]);
    expect(`${BigInt(read.amountMsat!)}`).to.equal(`${BigInt(btcAmount!.replace('.', ''))}000`);
    expect(decodeAddress(request.onchain!.address))
      .to.include({ type: 'p2wpkh' })
      .and.deep.include({ networks: ['testnet', 'signet'] });
    expect(request.onchain!.addressUri).to.equal(`bitcoin:${request.onchain!.address}`);
    expect(await run(shop.receiveRequests.get(request.receiveRequestId))).to.deep.equal(
      asRead(request),
    );
    expect(await run(shop.receiveRequests.list().toArray({ limit: 2 }))).to.deep.equal([
      asRead(request),
    ]);
    expect(await events(shop)).to.deep.equal([]);
    expect(
      await failureOf(run(openTwo().client.receiveRequests.get(request.receiveRequestId))),
    ).to.include({ code: 'NOT_FOUND' });
    expect(sandbox.log.map(({ method, path }) => `${method} ${path}`)[0]).to.equal(
      'POST /v1/receive-request',
    );
  });

  it('may be asked for under the other spelling', async () => {
    const { sandbox } = openTwo();
    const two = openTwo();
    const { createClient } = await import('paystate');
    const client = createClient({
      ...sandbox.clientOptions,
      paths: { '/v1/receive-request': '/v1/receive-requests' },
    });
    expect((await sandbox.run(client.receiveRequests.create({ onchain: {} }))).bolt11).to.equal(
      undefined,
    );
    expect(sandbox.log[0]!.path).to.equal('/v1/receive-requests');
    expect(two.sandbox.log).to.deep.equal([]);
  });

  it('take zero amounts, hashes and an hour where nothing is said', async () => {
    const { shop, run } = openTwo();
    const { bolt11, onchain } = await run(
      shop.receiveRequests.create({
        bolt11: { description: 'x', descriptionHash: 'AB'.repeat(32) },
        onchain: { amount: { amount: '0.001', currency: 'BTC' } },
        targetCurrency: 'BTC',
      }),
    );
    const read = decodeBolt11(bolt11!.invoice);
    expect([
      read.amountMsat,
      read.expirySeconds,
      read.descriptionHash,
      bolt11!.description,
      bolt11!.btcAmount,
    ]).to.deep.equal([undefined, 3_600, 'ab'.repeat(32), undefined, undefined]);
    expect(onchain!.addressUri).to.match(/\?amount=0\.00100000$/);
    expect(onchain!.btcAmount).to.equal('0.00100000');
  });

  it('are held to their bounds', async () => {
    const { shop, run, sandbox } = openTwo();
    const cases: readonly (readonly [string, string, object])[] = [
      ['bolt11', 'INVALID_DATA_REQUIRED', {}],
      ['bolt11.descriptionHash', 'INVALID_DATA_VALUE', { bolt11: { descriptionHash: 'ab' } }],
      ['bolt11.expiryInSeconds', 'INVALID_DATA_VALUE', { bolt11: { expiryInSeconds: 0 } }],
      ['bolt11.expiryInSeconds', 'INVALID_DATA_VALUE', { bolt11: { expiryInSeconds: 1.5 } }],
      ['onchain.amount.amount', 'INVALID_DATA_VALUE', { onchain: { amount: EUR('one') } }],
    ];
    for (const [field, code, draft] of cases) {
      const { kind, validationErrors } = await failureOf(run(shop.receiveRequests.create(draft)));
      expect([
        kind,
        Object.keys(validationErrors!),
        validationErrors![field]?.[0]?.code,
      ]).to.deep.equal(['input', [field], code]);
    }
    expect(sandbox.log).to.deep.equal([]);
    const two = openTwo({ accounts: [{ handle: 'shop', currencies: ['EUR'] }] });
    expect(
      (
        await failureOf(
          two.run(two.shop.receiveRequests.create({ onchain: {}, targetCurrency: 'USD' })),
        )
      ).code,
    ).to.equal('USER_CURRENCY_UNAVAILABLE');
  });

  it('whose answer is lost may exist: the error says so and nothing is sent again', async () => {
    const { shop, run, sandbox } = openTwo();
    sandbox.fault({ method: 'POST', nth: 1, action: 'lost-after' });
    expect(await failureOf(run(shop.receiveRequests.create({ onchain: {} })))).to.include({
      outcome: 'unknown',
      maybeCreated: true,
      next: 'read-first',
      attempts: 1,
    });
    expect(await run(shop.receiveRequests.list().count())).to.equal(1);
  });
});

describe('receives', () => {
  it('over Lightning are credited at once, converted and told of', async () => {
    const two = openTwo();
    const { sandbox, shop, run, events, postings } = two;
    const { receiveRequestId, bolt11 } = await run(
      shop.receiveRequests.create({ bolt11: { amount: EUR('10.00') } }),
    );
    const receipt = await sandbox.payer.pay(bolt11!.invoice);
    expect(isPreimageOf(receipt.preimage!, bolt11!.paymentHash)).to.equal(true);
    const [receive] = await receivesOf(two, receiveRequestId);
    expect(receive).to.deep.include({
      receiveId: receipt.receiveId,
      receiveRequestId,
      type: 'LIGHTNING',
      state: 'COMPLETED',
      amountReceived: { amount: bolt11!.btcAmount!, currency: 'BTC' },
      lightning: {
        invoice: bolt11!.invoice,
        preimage: receipt.preimage,
        paymentHash: bolt11!.paymentHash,
      },
    });
    expect(receive!.conversionRate).to.include({ sourceCurrency: 'BTC', targetCurrency: 'EUR' });
    expect(receive!.amountCredited).to.deep.equal(EUR('10.00'));
    expect(postings()).to.deep.equal([
      `receive COMPLETED: ln > fx ${bolt11!.btcAmount} BTC`,
      'receive COMPLETED: fx > shop.free 10.00 EUR',
    ]);
    const [event, ...more] = await run(shop.events.list().toArray({ limit: 9 }));
    expect([event!.eventType, event!.data, more]).to.deep.equal([
      'receive-request.receive-completed',
      { entityId: receiveRequestId, receiveId: receive!.receiveId },
      [],
    ]);
    expect(await events()).to.deep.equal([]);
    expect((await failureOf(sandbox.payer.pay(bolt11!.invoice))).code).to.equal(
      'LN_INVOICE_PROCESSED',
    );
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('of a text without amount are what the payer chooses, once, until its end', async () => {
    const two = openTwo();
    const { sandbox, shop, run } = two;
    const { receiveRequestId, bolt11 } = await run(
      shop.receiveRequests.create({ bolt11: { expiryInSeconds: 60 }, targetCurrency: 'BTC' }),
    );
    expect((await failureOf(sandbox.payer.pay(bolt11!.invoice))).kind).to.equal('input');
    const paying = sandbox.payer.pay(bolt11!.invoice, {
      amount: '0.0001',
      pendingFor: 3_000,
      fails: true,
    });
    expect(
      (await failureOf(sandbox.payer.pay(bolt11!.invoice, { amount: '0.0001' }))).code,
    ).to.equal('PROCESSING_PAYMENT');
    expect((await receivesOf(two, receiveRequestId)).map(({ state }) => state)).to.deep.equal([
      'PENDING',
    ]);
    expect(await run(paying)).not.to.have.property('preimage');
    expect(await receivesOf(two, receiveRequestId)).to.deep.equal([]);
    await sandbox.payer.pay(bolt11!.invoice, { amount: '0.0001' });
    expect((await receivesOf(two, receiveRequestId))[0])
      .to.deep.include({
        amountReceived: { amount: '0.00010000', currency: 'BTC' },
        amountCredited: { amount: '0.00010000', currency: 'BTC' },
      })
      .and.not.have.property('conversionRate');
    const old = await run(shop.receiveRequests.create({ bolt11: { expiryInSeconds: 60 } }));
    await sandbox.advance(60_000);
    expect(
      (await failureOf(sandbox.payer.pay(old.bolt11!.invoice, { amount: '1' }))).code,
    ).to.equal('INVALID_STATE_FOR_INVOICE_EXPIRED');
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('on the chain are PENDING until they are confirmed, any number and any amount', async () => {
    const two = openTwo();
    const { sandbox, shop, run, events, postings } = two;
    const { receiveRequestId, onchain } = await run(
      shop.receiveRequests.create({ onchain: { amount: { amount: '0.002', currency: 'BTC' } } }),
    );
    const first = sandbox.payer.pay(onchain!.addressUri);
    await sandbox.advance(1_000);
    const under = sandbox.payer.pay(onchain!.address, { amount: '0.0015' });
    await sandbox.advance(1_000);
    const over = sandbox.payer.pay(onchain!.address.toUpperCase(), {
      amount: '0.01',
      pendingFor: 2 * TEN_MINUTES,
    });
    const pending = await receivesOf(two, receiveRequestId);
    expect(
      pending.map(({ state, type, amountReceived }) => [state, type, amountReceived.amount]),
    ).to.have.deep.members([
      ['PENDING', 'ONCHAIN', '0.00200000'],
      ['PENDING', 'ONCHAIN', '0.00150000'],
      ['PENDING', 'ONCHAIN', '0.01000000'],
    ]);
    expect(pending[0]!.onchain).to.deep.include({
      address: onchain!.address,
      numberOfConfirmations: 0,
    });
    expect(pending[0]).not.to.have.property('amountCredited');
    expect(postings()).to.deep.equal([]);
    await run(Promise.all([first, under]));
    expect(
      (await receivesOf(two, receiveRequestId)).map(({ state }) => state).sort(),
    ).to.deep.equal(['COMPLETED', 'COMPLETED', 'PENDING']);
    const { receiveId, transactionId } = await run(over);
    const all = await receivesOf(two, receiveRequestId);
    const last = all.find((receive) => receive.receiveId === receiveId)!;
    expect([
      last.state,
      last.onchain!.transactionId,
      last.onchain!.numberOfConfirmations,
    ]).to.deep.equal(['COMPLETED', transactionId, 1]);
    expect(last.onchain!.blockHeight).to.be.greaterThan(0);
    expect(postings().filter((line) => line.includes('chain > fx'))).to.have.length(3);
    expect((await events(shop)).sort()).to.deep.equal([
      ...Array<string>(3).fill('receive-request.receive-completed'),
      ...Array<string>(3).fill('receive-request.receive-pending'),
    ]);
    expect(sums(sandbox)).to.deep.equal([]);
  });

  it('are confirmed by hand, once, and wait where the world says so', async () => {
    const two = openTwo();
    const { sandbox, shop, run } = two;
    sandbox.fault({ subject: 'receive', delay: Infinity });
    const { receiveRequestId, onchain } = await run(shop.receiveRequests.create({ onchain: {} }));
    void sandbox.payer.pay(`bitcoin:${onchain!.address}?amount=0.001`);
    await sandbox.advance(24 * 60 * 60_000);
    const [receive] = await receivesOf(two, receiveRequestId);
    expect(receive!.state).to.equal('PENDING');
    sandbox.move('receive', receive!.receiveId, 'COMPLETED');
    expect((await receivesOf(two, receiveRequestId))[0]!.state).to.equal('COMPLETED');
    expect(() => sandbox.move('receive', receive!.receiveId, 'COMPLETED'))
      .to.throw()
      .with.property('code', 'UNPROCESSABLE_ENTITY');
  });

  it("are nobody's where nobody waits", async () => {
    const { sandbox } = openTwo();
    expect(
      (await failureOf(sandbox.payer.pay(sandbox.payer.createAddress(), { amount: '1' }))).code,
    ).to.equal('NOT_FOUND');
    expect(
      (await failureOf(sandbox.payer.pay(sandbox.payer.createBolt11({ sat: '1' })))).code,
    ).to.equal('NOT_FOUND');
  });

  it('are listed by request and by all that they have', async () => {
    const two = openTwo();
    const { sandbox, shop, run } = two;
    const requests = [];
    for (let count = 0; count < 3; count++) {
      const request = await run(
        shop.receiveRequests.create({ bolt11: { amount: EUR('1.00') }, onchain: {} }),
      );
      requests.push(request);
      await sandbox.payer.pay(request.bolt11!.invoice);
      await sandbox.advance(10);
      void sandbox.payer.pay(request.onchain!.address, { amount: '0.0001' });
      await sandbox.advance(10);
    }
    const [one, other] = requests as [(typeof requests)[0], (typeof requests)[0]];
    const count = async (filter: object): Promise<number> =>
      (await run(shop.receiveRequests.listAllReceives(filter).toArray({ limit: 100 }))).length;
    const listed = await run(
      shop.receiveRequests.listAllReceives({}, { pageSize: 2 }).toArray({ limit: 100 }),
    );
    expect(listed).to.have.length(6);
    expect(await run(shop.receiveRequests.listAllReceives().count())).to.equal(6);
    expect(
      await Promise.all([
        count({ receiveRequestId: one.receiveRequestId }),
        count({ receiveRequestId: [one.receiveRequestId, other.receiveRequestId] }),
        count({ receiveId: listed[0]!.receiveId }),
        count({ paymentHash: one.bolt11!.paymentHash.toUpperCase() }),
        count({ bolt11Invoice: one.bolt11!.invoice, receiveRequestId: other.receiveRequestId }),
        count({ onchainAddress: ['x', 'y'] }),
      ]),
    ).to.deep.equal([2, 4, 1, 2, 0, 0]);
    expect(
      await run(
        shop.receiveRequests
          .listReceives(one.receiveRequestId, {
            receiveId: listed.map(({ receiveId }) => receiveId),
          })
          .count(),
      ),
    ).to.equal(2);
    const found = await run(
      shop.receiveRequests
        .list({ onchainAddress: [one.onchain!.address, other.onchain!.address] })
        .toArray({ limit: 9 }),
    );
    expect(found.map(({ receiveRequestId }) => receiveRequestId).sort()).to.deep.equal(
      [one.receiveRequestId, other.receiveRequestId].sort(),
    );
    expect(await run(two.client.receiveRequests.listAllReceives().count())).to.equal(0);
    expect(
      (await failureOf(run(two.client.receiveRequests.listReceives(one.receiveRequestId).count())))
        .code,
    ).to.equal('NOT_FOUND');
  });

  it('of one spelling of the filter or the other', async () => {
    const two = openTwo();
    const { sandbox, shop, run } = two;
    const request = await run(shop.receiveRequests.create({ onchain: {} }));
    void sandbox.payer.pay(request.onchain!.address, { amount: '0.0001' });
    await run(shop.receiveRequests.listAllReceives({ receiveRequestId: 'a b' }).count());
    const { query } = sandbox.log.at(-1)!;
    expect(query).to.contain('receiveRequestId=a%20b').and.contain('$receiveRequestId=a%20b');
    const key = { authorization: `Bearer ${sandbox.clientOptionsFor({ account: 'shop' }).apiKey}` };
    for (const name of ['receiveRequestId', '$receiveRequestId']) {
      const answer = await sandbox.fetch(`/v1/receive-requests/receives?${name}=none`, {
        headers: key,
      });
      expect(((await answer.json()) as { count: number }).count).to.equal(0);
    }
  });
});
