import { checkMethods, checkOptions } from '../errors/index.ts';
import type { Observers, RequestView, ResponseView } from './connection.ts';

/**
 * A logger such as `console`. Each call gets a message and an object with details, which contain no
 * secrets.
 */
export interface Logger {
  /** Logs details that only help with debugging. */
  debug(text: string, facts: object): void;
  /** Logs a normal event. */
  info(text: string, facts: object): void;
  /** Logs an event that may need attention. */
  warn(text: string, facts: object): void;
  /** Logs an event that needs attention. */
  error(text: string, facts: object): void;
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** The severity of a log message. */
export type LogLevel = (typeof LEVELS)[number];

/**
 * Creates observers that log what a client does. They write one line for each attempt, with its
 * response and duration, and one for each retry and each wait for the rate limit. Log lines never
 * contain secrets, ids or amounts. Pass the result to a client's options.
 *
 * @param logger `console`, or an object with the same four methods
 * @param options `level`: the lowest level to log, which defaults to `info`
 * @returns observers to spread into a client's options
 * @throws InputError if the logger lacks one of these methods or the level is unknown
 *
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
      write('warn', `${nameAttempt(view)} is retried in ${formatDelay(view)}`, view),
    onWait: (view) =>
      view.cause === 'store'
        ? write('warn', `${nameAttempt(view)} is counted locally because the store failed`, view)
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
  // without a token, no request is sent
  return isRead || isRefused || code === 'TOKEN_UNAVAILABLE' ? 'warn' : 'error';
}
