// Protects: the OpenAPI file is valid in the eyes of a validator that nobody here wrote, says what the endpoint table says, and
// a client that a generator makes of it works.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import * as endpoints from 'paystate/endpoints';
import { describe, it } from '#test';
import { root, withCommand } from '../e2e/command.ts';
import { createClient, request } from 'paystate';
import { beginLife } from '../house/export-life.ts';
import { Ajv2020, OpenApiValidator } from '../peers/peers.mjs';

const FILE = join(root, 'dist/openapi.json');
const peers = join(root, 'test/peers');

interface Operation {
  readonly operationId: string;
  readonly security: readonly { readonly bearer: readonly string[] }[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const document = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const rows = Object.values(endpoints as object).flatMap((table: object) =>
  Object.values(table ?? {}).filter((row): row is endpoints.AnyEndpoint => 'path' in Object(row)),
);

type Call = (
  ...given: readonly unknown[]
) => Promise<{ readonly status: number; readonly data: never }>;
type Generated = Readonly<Record<string, Call>> & {
  readonly defaults: { baseUrl: string; headers: Record<string, string> };
};

const generate = async (): Promise<Generated> => {
  // Outside of the folders in which another leg looks for sources.
  const folder = join(root, '.cache', `client-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'client.ts');
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(peers, 'node_modules/oazapfts/dist/cli.js'), FILE, file],
    { encoding: 'utf8' },
  );
  expect(status, stderr).to.equal(0);
  const outfile = join(folder, 'client.mjs');
  const nodePaths = [join(peers, 'node_modules')];
  await build({ entryPoints: [file], outfile, bundle: true, format: 'esm', nodePaths });
  const client = (await import(pathToFileURL(outfile).href)) as Generated;
  rmSync(folder, { recursive: true });
  return client;
};

describe('the OpenAPI file', () => {
  it('is valid', async () => {
    const { valid, errors } = await new OpenApiValidator().validate(FILE);
    expect(errors).to.equal(undefined);
    expect([valid, document.openapi]).to.deep.equal([true, '3.1.0']);
    const broken = { ...document, paths: { '/v1/invoices': { post: { responses: 7 } } } };
    const seen = await new OpenApiValidator().validate(broken as never);
    expect(seen.valid, 'the validator sees what is wrong').to.equal(false);
  });

  it('has every operation of the endpoint table, with its scope and statuses', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [
        `${method.toUpperCase()} ${path}`,
        one.security[0]!.bearer[0],
        Object.keys(one.responses).filter((status) => status !== 'default'),
      ]),
    );
    const wanted = rows.map(({ method, path, scope, statuses }) => [
      `${method} ${path}`,
      scope,
      statuses.map(String).sort(),
    ]);
    expect(found.sort()).to.deep.equal(wanted.sort());
    expect(found.length).to.be.above(45);
  });

  it('fits what the service answers, in the eyes of another validator', async () => {
    const { sandbox, step } = await beginLife(5);
    for (let done = 0; done < 300; done++) await step();
    const answers: { readonly path: string; readonly value: unknown }[] = [];
    const client = createClient(sandbox.clientOptionsFor({ account: 'shop' }));
    const ask = async (path: string, params: object): Promise<unknown> => {
      const value = await sandbox.run(request(client, 'GET', path, { params: { ...params } }));
      answers.push({ path, value });
      return value;
    };
    for (const { path, query } of rows.filter(({ method }) => method === 'GET')) {
      if (path.includes('{')) continue;
      const found = (await ask(path, query?.['top'] ? { $top: 100 } : {})) as { items?: object[] };
      const one = rows.find(
        (row) => row.method === 'GET' && new RegExp(`^${path}/\\{\\w+\\}$`).test(row.path),
      );
      const [first] = found.items ?? [];
      if (one && first)
        await ask(one.path, { [/\{(\w+)\}/.exec(one.path)![1]!]: Object.values(first)[0] });
    }
    const ajv = new Ajv2020({ strict: false, allErrors: true }).addSchema(document, 'api');
    const wrong = answers.flatMap(({ path, value }) => {
      const at = path.replaceAll('~', '~0').replaceAll('/', '~1');
      const schema = `api#/paths/${encodeURIComponent(at)}/get/responses/200/content/application~1json/schema`;
      const check = ajv.compile({ $ref: schema });
      return check(value) ? [] : [`${path}: ${JSON.stringify(check.errors)}`];
    });
    expect(wrong).to.deep.equal([]);
    expect(answers.length).to.be.above(15);
    const money = ajv.compile({ $ref: 'api#/components/schemas/Money' });
    expect([
      money({ amount: '1.00', currency: 'EUR' }),
      money({ amount: 1, currency: 'EUR' }),
    ]).to.deep.equal([true, false]);
  });

  it('makes a client that sells, lists, subscribes and is refused', async () => {
    const client = await generate();
    await withCommand(async ({ url, key }) => {
      client.defaults.baseUrl = url;
      client.defaults.headers = { authorization: `Bearer ${key}` };
      const made = await client['invoicesCreate']!({
        amount: { amount: '12.50', currency: 'EUR' },
        correlationId: "it's one",
      });
      const { invoiceId } = made.data as { readonly invoiceId: string };
      expect(made.status).to.equal(201);
      const read = await client['invoicesGet']!(invoiceId, {});
      expect(read.data).to.include({ invoiceId, state: 'UNPAID', correlationId: "it's one" });
      const listed = await client['invoicesList']!({
        filter: "correlationId eq 'it''s one'",
        top: 1,
      });
      expect((listed.data as { readonly count: number }).count).to.equal(1);
      const subscribed = await client['subscriptionsCreate']!({
        webhookUrl: 'http://127.0.0.1:9/hooks',
        webhookVersion: 'v1',
        secret: 'a-secret-of-30-characters-long',
        enabled: true,
        eventTypes: ['invoice.updated'],
      });
      expect(subscribed.status).to.equal(201);
      const quoted = await client['currencyExchangeQuotesCreate']!(
        { sell: 'EUR', buy: 'USD', amount: { amount: '10.00', currency: 'EUR' } },
        { idempotencyKey: '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11' },
      );
      expect(quoted.status).to.be.within(200, 201);
      const refused = await client['invoicesGet']!('0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11', {});
      expect(refused.status).to.equal(404);
      expect(refused.data).to.have.nested.property('data.code', 'NOT_FOUND');
    });
  });
});
