import type { Client } from '../../client.ts';
import { systemClock } from '../../core/time.ts';
import { createGuards, pay, type PayResult } from '../../flows/index.ts';
import { type Money, money, parseMoney } from '../../money/index.ts';
import { fileStore } from '../../stores/file.ts';
import { UsageError } from '../command.ts';
import { type Tool, toolResult, type ToolResult } from './tools.ts';

/** The most to spend a day, by currency. */
type Budget = ReadonlyMap<string, Money>;

/** Reads what was given as `EUR=20.00`. */
export function budgetOf(given: readonly string[]): Budget {
  return new Map(
    given.map((text) => {
      const [currency = '', amount = '', more] = text.split('=');
      try {
        if (more !== undefined) throw new Error('one sign too many');
        return [currency, money(amount, currency)];
      } catch {
        throw new UsageError(`--spend must be like EUR=20.00, not "${text.slice(0, 40)}"`);
      }
    }),
  );
}

/** A call of a model should not last longer; the payment goes on by itself. */
const PATIENCE = 20_000;

const INPUT = {
  type: 'object',
  properties: {
    to: {
      type: 'string',
      description: 'BOLT11 text, Lightning address, LNURL, or bitcoin: URI with a Lightning way',
    },
    currency: { type: 'string', description: 'currency to spend' },
    amount: {
      type: 'object',
      description:
        'how much; needed where "to" does not say it. A BOLT11 text that names an amount is paid only if it is this one, in BTC',
      properties: { amount: { type: 'string' }, currency: { type: 'string' } },
      required: ['amount', 'currency'],
    },
    intent: {
      type: 'string',
      description:
        'your own name for this one payment: it is paid at most once. Needed for all but a BOLT11 text; give the same again to ask how it went',
    },
  },
  required: ['to', 'currency'],
  additionalProperties: false,
} as const;

/** The tool that spends; none without a budget. */
export function spendTools(
  client: Client,
  budget: Budget,
  folder: string | undefined,
): readonly Tool[] {
  if (budget.size === 0) return [];
  if (folder === undefined)
    throw new UsageError('--spend needs --journal: what was paid has to be known after a restart');
  const journal = fileStore(folder);
  const limits = [...budget.values()].map(({ amount, currency }) => `${amount} ${currency}`);
  return [
    {
      name: 'pay',
      description: `Pays once. At most ${limits.join(', ')} a day (UTC), fees included; a fee above 1 % is not paid. Money leaves the account and does not come back.`,
      inputSchema: INPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
      async run({ to, currency, amount, intent }) {
        const maxTotal = budget.get(`${currency}`);
        if (!maxTotal)
          return toolResult(
            {
              error: {
                message: `there is no budget in this currency; there is ${limits.join(', ')}`,
              },
            },
            true,
          );
        await createGuards({ journal, maxPerDay: [...budget.values()] });
        const run = pay(client, {
          to: `${to}`,
          sourceCurrency: `${currency}`,
          maxFee: { percent: '1' },
          maxTotal,
          journal,
          ...(amount !== undefined && { amount: parseMoney(amount) }),
          ...(intent !== undefined && { intent: `${intent}` }),
        });
        return soonResult(run.result, run.intent);
      },
    },
  ];
}

/** The end of a payment, or that it goes on. */
async function soonResult(ending: Promise<PayResult>, intent: string): Promise<ToolResult> {
  const stop = new AbortController();
  const late = systemClock.wait(PATIENCE, stop.signal).then(() => undefined);
  const result = await Promise.race([ending, late]);
  stop.abort();
  if (!result)
    return toolResult({
      phase: 'pending',
      intent,
      advice: 'it goes on; call pay again with the same arguments to ask how it went',
    });
  const isPaid = result.phase === 'paid';
  return toolResult({ ...result, intent }, !isPaid);
}
