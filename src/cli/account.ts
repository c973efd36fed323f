import { readFileSync } from 'node:fs';
import process from 'node:process';
import { type Client, createClient } from '../client.ts';
import { type ClientOptions, productionRateLimits, testRateLimits } from '../core/http/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import {
  type CommandOptions,
  type Given,
  rateLimitsOption,
  textOption,
  UsageError,
} from './command.ts';

/** Options for all commands that connect to the service. */
export const ACCOUNT_OPTIONS: CommandOptions = {
  'base-url': {
    type: 'string',
    value: 'URL',
    help: 'URL of the service; default: PAYSTATE_BASE_URL',
  },
  'key-file': {
    type: 'string',
    value: 'FILE',
    help: 'file with the API key; default: PAYSTATE_API_KEY, or the file in PAYSTATE_API_KEY_FILE',
  },
  'rate-limits': {
    type: 'string',
    value: 'NAME',
    help: 'rate limits of the service: production or test; default: production',
  },
};

export interface AccountSettings {
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly rateLimits: NonNullable<ClientOptions['rateLimits']>;
}

/**
 * Reads the URL and the API key from the options and environment variables. The key isn't accepted
 * as an argument, because other users of the machine could see it.
 */
export function accountSettings(given: Given): AccountSettings {
  const { env } = process;
  const file = textOption(given, 'key-file') ?? env['PAYSTATE_API_KEY_FILE'];
  return {
    baseUrl: textOption(given, 'base-url') ?? (env['PAYSTATE_BASE_URL'] || undefined),
    apiKey: file ? secretIn(file) : env['PAYSTATE_API_KEY'] || undefined,
    rateLimits: rateLimitsOption(given) === 'test' ? testRateLimits : productionRateLimits,
  };
}

export function webhookSecret(): string | undefined {
  const { PAYSTATE_WEBHOOK_SECRET, PAYSTATE_WEBHOOK_SECRET_FILE } = process.env;
  return PAYSTATE_WEBHOOK_SECRET_FILE
    ? secretIn(PAYSTATE_WEBHOOK_SECRET_FILE)
    : PAYSTATE_WEBHOOK_SECRET || undefined;
}

function secretIn(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new UsageError(`the file with the secret cannot be read: ${code ?? 'unknown'}`);
  }
}

export function accountClient(given: Given, options: Partial<ClientOptions> = {}): Client {
  const { baseUrl, apiKey, rateLimits } = accountSettings(given);
  if (baseUrl === undefined)
    throw new UsageError(
      'the URL of the service is missing: set PAYSTATE_BASE_URL or pass --base-url',
    );
  if (apiKey === undefined)
    throw new UsageError('the API key is missing: set PAYSTATE_API_KEY or pass --key-file');
  return createClient({ baseUrl, apiKey, rateLimits, ...options });
}

/** Awaits a read. Resolves to `undefined` if the service rejects it. */
export async function unlessRefused<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (thrown) {
    if (isPaystateError(thrown) && thrown.kind === 'refused') return undefined;
    throw thrown;
  }
}
