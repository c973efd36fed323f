// The settings that compose.yaml gives every process of the shop: addresses in the environment,
// secrets as files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'paystate';
import pg from 'pg';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the environment has no ${name}`);
  return value;
}

const secret = (name: string): string =>
  readFileSync(join(setting('SECRETS'), name), 'utf8').trim();

/** Address of the shop's pages, such as https://shop.example. */
export const ORIGIN = setting('ORIGIN');
export const PORT = Number(setting('PORT'));
/** Signs the tokens of pages, and derives order numbers. */
export const TOKEN_SECRET = secret('token_secret');
export const WEBHOOK_SECRET = secret('webhook_secret');

/** The client of the service, with a key that can create and read invoices and can't pay. */
export const client = createClient({ baseUrl: setting('SERVICE'), apiKey: secret('api_key') });

// The package pg reads PGHOST, PGPORT, PGUSER and PGDATABASE by itself.
const connection = { password: secret('database_password') };
export const pool = new pg.Pool(connection);
export const openConnection = () => new pg.Client(connection);

/** Writes one line of JSON with ids, states and codes, and never a secret. */
export function log(event: string, facts: Readonly<Record<string, unknown>> = {}): void {
  console.log(JSON.stringify({ at: new Date().toISOString(), event, ...facts }));
}
