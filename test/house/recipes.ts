// The cookbook: which recipes there are, in which part of its index, and what each of them gives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

export const COOKBOOK = 'demo/cookbook';

/** By part of the index: the files, with what `example` resolves to, or its form. */
export const RECIPES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'taking money': {
    'charge-and-wait': { bought: 'PAID', abandoned: 'still open' },
    'price-in-sats':
      /^€4\.20 \(about \d,\d{3} sat\)\n€4\.20 \(about \d,\d{3} sat, rate of \d{4}-.+Z\)$/,
    'late-payments': [
      'closed: it cannot be paid any more',
      'ship it: it was paid in the last moment',
    ],
    'server-sent-progress': [
      'data: {"freshness":"loading"}',
      'data: {"state":"UNPAID","freshness":"live"}',
      'data: {"state":"PAID","freshness":"live"}',
    ],
    refund: ['paid', 'refused: refund'],
  },
  'sending money': {
    'insufficient-funds': ['Nothing was sent. There are only 1.00 EUR.', 'sent'],
    'pay-out-and-wait': { first: 'completed', again: 'completed', payouts: 1 },
    'pay-a-list': { report: '2 of 2 rows paid', payments: 2 },
  },
  'reading and adding up': {
    'sum-last-month': [{ amount: '0.30', currency: 'EUR' }],
    'newest-twenty': [20, 'order-25', 'order-6', 1],
    'page-two': [10, ['order-11', 'order-12', 'order-13', 'order-14', 'order-15'], undefined],
    'back-office': [
      'order-1: €12.50 PAID',
      '€12.50 COMPLETED 2026-01-05T09:00',
      'order-2: no such order',
    ],
    reconciliation: ['order-1: paid, not shipped', 'another: shipped, not paid'],
    'watch-a-balance': { before: 0, after: true },
  },
  'when something goes wrong': {
    'check-the-setup': {
      good: [],
      lacking: ['SCOPE_MISSING: the key lacks partner.balances.read: balances.list'],
      wrong: ['KEY_REFUSED: the service rejects this key'],
    },
    'retry-safely': { first: 1_000, state: 'UNPAID', made: 1 },
    abort: ['TIMEOUT', '6 balances', 'the user has left'],
    'show-offline': [
      'One moment …',
      'UNPAID',
      'UNPAID – The connection is bad. This may be old.',
      'UNPAID',
    ],
    'log-requests': [
      ['response', 503],
      ['retry', undefined],
      ['response', 200],
    ],
    'trace-calls': [404, 'NOT_FOUND'],
    'trace-payments': ['new', 'executing', 'paid'],
    'four-hundred-at-once': { made: 400, hasWaited: true, minutes: 2, blocks: 0 },
  },
  'frameworks and platforms': {
    express: [200, 401],
    hono: [201, 'lntb', 404],
    next: [{ state: 'UNPAID' }, 404],
    'next-page': ['UNPAID', 'PAID', 'not known'],
    sveltekit: [200, 1],
    'tanstack-query': 'PAID',
    'react-native': /^invalidated/,
    'deno-cron': ['order-1'],
    'login-with-oauth': [302, 200, true],
    'several-accounts': ['10.00', '20.00'],
    'use-a-proxy': 1,
    'from-the-plain-api': true,
  },
  'checking data': {
    'check-a-form': [
      {
        amount: ['must be a decimal string such as "12.50"'],
        correlationId: ['must be at most 40 characters'],
      },
      {},
    ],
    'read-a-queue': [['order-1'], ['invoice.amount', 'message']],
    'narrow-an-answer': [true, { amount: { amount: '5.00', currency: 'EUR' }, state: 'UNPAID' }],
  },
  testing: {
    'test-a-webhook-handler': { shipped: ['order-1'], status: 401 },
    'mock-in-vitest': [true, false],
    'mock-in-jest': [true],
  },
};

export const textOfRecipe = (name: string): string =>
  readFileSync(join(root, COOKBOOK, `${name}.ts`), 'utf8');

/** The comment that a recipe begins with, as one text. */
export const taskOf = (name: string): string =>
  textOfRecipe(name)
    .split(/^(?!\/\/)/m)[0]!
    .replace(/^\/\/ ?/gm, '')
    .trim()
    .replaceAll('\n', ' ');

/** The first sentence of it: ended by a full stop or a colon. */
export const titleOfRecipe = (name: string): string => /^.*?(?=[.:](?= |$))/.exec(taskOf(name))![0];
