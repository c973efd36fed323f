import { ask } from './ask.ts';
import { byId, fill, make, say } from './dom.ts';
import type { Act } from './lines.ts';

/** What a world says of its account and the keys of it. */
export interface AccountWorld {
  readonly account: readonly [
    {
      readonly currencies: readonly string[];
      readonly isPrivate: boolean;
      readonly canReceive: boolean;
      readonly travelRule: boolean;
    },
  ];
  readonly 'api-keys': readonly { readonly apiKey: string; readonly isRevoked: boolean }[];
}

const chosen = byId('account') as HTMLSelectElement;
/** The key that was made last, by its account. */
const made = new Map<string, string>();

export function chosenAccount(): string {
  return chosen.value;
}

export function showHandles(handles: readonly string[]): void {
  fill(
    chosen,
    handles.map((handle) => ({
      key: handle,
      mark: handle,
      make: () => make('option', {}, handle),
    })),
  );
}

/** Shows how the chosen account was set up, and a key that opens it. */
export function showAccount({ account: [facts], 'api-keys': keys }: AccountWorld): void {
  const { currencies, isPrivate, canReceive, travelRule } = facts;
  const live = keys.filter(({ isRevoked }) => !isRevoked).map(({ apiKey }) => apiKey);
  const last = made.get(chosen.value) ?? '';
  say(byId('key'), (live.includes(last) ? last : live[0]) ?? '');
  say(
    byId('facts'),
    [
      currencies.join(', '),
      isPrivate && 'private',
      !canReceive && 'cannot receive',
      travelRule && 'travel rule',
    ]
      .filter(Boolean)
      .join(' · '),
  );
}

/** Makes the buttons that copy, and the one that makes a key, work. */
export function makeAccount(act: Act, look: () => Promise<void>): void {
  byId('base').textContent = location.origin;
  for (const id of ['base', 'key'])
    byId(`copy-${id}`).addEventListener('click', () =>
      act('Copy', () => navigator.clipboard.writeText(byId(id).textContent ?? '')),
    );
  byId('new-key').addEventListener('click', () =>
    act('Make a key', async () => {
      const account = chosen.value;
      const { apiKey } = await ask<{ readonly apiKey: string }>('POST', 'keys', { account });
      made.set(account, apiKey);
    }),
  );
  byId('first').addEventListener('click', () => act('Create an invoice', createInvoice));
  chosen.addEventListener('change', () => void look());
}

/** What a program of the account would send. */
async function createInvoice(): Promise<void> {
  const headers = {
    authorization: `Bearer ${byId('key').textContent}`,
    'content-type': 'application/json',
  };
  const currency = byId('facts').textContent?.match(/[A-Z]{3}/)?.[0] ?? 'EUR';
  const draft = { amount: { amount: '12.50', currency }, correlationId: crypto.randomUUID() };
  const body = JSON.stringify({ ...draft, description: 'A first invoice' });
  const answer = await fetch('/v1/invoices', { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { invoiceId } = (await answer.json()) as { readonly invoiceId: string };
  await fetch(`/v1/invoices/${invoiceId}/quote`, { method: 'POST', headers });
}
