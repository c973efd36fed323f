// One of several processes that pay at once under one limit; prints how each payment ended.
import process from 'node:process';
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { type Kind, openPlace } from '../runners/stores/places.ts';

interface Task {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly kind: Kind;
  readonly place: string;
  readonly name: string;
  readonly count: number;
}

const task = JSON.parse(process.argv[2]!) as Task;
const { store, end } = await openPlace(task.kind, task.place);
const client = createClient({ baseUrl: task.baseUrl, apiKey: task.apiKey });
const runs = Array.from({ length: task.count }, (_, n) =>
  pay(client, {
    intent: `${task.name}/${n}`,
    to: 'ada@wallet.example',
    amount: { amount: '5.00', currency: 'EUR' },
    sourceCurrency: 'EUR',
    maxFee: 'any',
    journal: store,
  }),
);
const results = await Promise.all(runs.map(({ result }) => result));
const ends = results.map((result) => {
  if (result.phase === 'paid') return result.payment.totalAmount.amount;
  if (result.phase === 'refused') return result.guard ?? result.error.message;
  return 'error' in result ? result.error.message : result.phase;
});
console.log(JSON.stringify(ends));
await end();
