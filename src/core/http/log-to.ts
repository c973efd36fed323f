import { checkMethods, checkOptions } from '../errors/index.ts';
import type { Observers, RequestView, ResponseView } from './connection.ts';

/** Receives lines of a log, such as `console`. Each line has a text and the redacted facts. */
export interface Logger {
  /** Writes a line that only helps to find a fault. */
  debug(text: string, facts: object): void;
  /** Writes a line about something usual. */
  info(text: string, facts: object): void;
  /** Writes a line about something that may need attention. */
  warn(text: string, facts: object): void;
  /** Writes a line about something that needs attention. */
  error(text: string, facts: object): void;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** The importance of a line. */
export type LogLevel = (typeof LEVELS)[number];

/**
 * Writes what a client does to a log, one line for each event: each attempt with its response and
 * its duration, each repetition, and each wait for the rate limit. No line holds a secret, an id or
 * an amount. Nothing is written until the result is given to a client.
 *
 * @param logger `console`, or an object with the same four methods
 * @param options `level`: the least important lines that are written, `info` unless given
 * @returns observers, for the options of a client
 * @throws InputError for a logger without one of the methods, or an unknown level
 * @example
 * const client = createClient({ ...options, ...logTo(console, { level: 'warn' }) });
 * console.log((await client.balances.list()).length > 0); // true
 */
export function logTo(
  logger: Logger,
  options: { readonly level?: LogLevel | undefined } = {},
): Observers {
  checkOptions<{ readonly level?: LogLevel }>(options, { level: LEVELS });
  checkMethods('logger', logger, ...LEVELS);
  const least = LEVELS.indexOf(options.level ?? 'info');
  const write = (at: LogLevel, text: string, facts: object): void => {
    if (LEVELS.indexOf(at) >= least) logger[at](`paystate: ${text}`, facts);
  };
  return {
    onRequest: (view) => write('debug', `${nameAttempt(view)} is sent`, view),
    onResponse: (view) => write(chooseLevel(view), responseText(view), view),
    onRetry: (view) =>
      write('warn', `${nameAttempt(view)} is repeated in ${formatDelay(view)}`, view),
    onWait: (view) =>
      view.cause === 'store'
        ? write('warn', `${nameAttempt(view)} is counted locally, because the store failed`, view)
        : write('info', `${nameAttempt(view)} waits ${formatDelay(view)} for the rate limit`, view),
  };
}

function nameAttempt({ operation, attempt }: RequestView): string {
  return attempt > 1 ? `${operation}, attempt ${attempt},` : operation;
}

function formatDelay({ delay }: { readonly delay: number }): string {
  return `${Math.round(delay)} ms`;
}

function responseText(view: ResponseView): string {
  const { status = 'no response', code, duration } = view;
  return `${nameAttempt(view)} ${status}${code ? ` ${code}` : ''} in ${Math.round(duration)} ms`;
}

function chooseLevel({ method, status, code }: ResponseView): LogLevel {
  const isRead = method === 'GET';
  if (code === undefined) return isRead ? 'debug' : 'info';
  const isRefused =
    status !== undefined && status >= 400 && status < 500 && code !== 'NOT_FROM_SERVICE';
  // without a token nothing is sent
  return isRead || isRefused || code === 'TOKEN_UNAVAILABLE' ? 'warn' : 'error';
}
