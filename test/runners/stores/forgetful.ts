// Checks that stores of a database in memory are refused, in whichever runtime this runs.
import { createClient } from 'paystate';
import { pay } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { sqlInboxStore, sqlStore } from 'paystate/stores';
import { openSqlite } from './sqlite.ts';

const driver = await openSqlite(':memory:');
const said = (thrown: unknown) => (thrown as Error).message;
console.log(await sqlStore(driver).get('a').catch(said));
console.log(await sqlInboxStore(driver).counts().catch(said));

const sandbox = createSandbox({ signed: false });
const order = { to: 'ada@wallet.example', amount: { amount: '5.00', currency: 'EUR' } };
const run = pay(createClient(sandbox.clientOptions), {
  ...order,
  intent: 'a',
  sourceCurrency: 'EUR',
  maxFee: 'any',
  journal: sqlStore(driver),
});
const result = await sandbox.run(run.result);
console.log(result.phase, result.phase === 'refused' && result.error.kind);

const known = sqlStore(driver, { mayForget: true });
console.log(known.durable, await known.put('a', 1));
