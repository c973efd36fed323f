// One cell of the trouble table: so many watches through one trouble, and what the judge says.
import { watchInvoice } from 'paystate';
import { liesOf, wrongEndOf } from './judge.mjs';
import { createRecord, listen } from './listener.mjs';
import { recoveryOf, slowestOf } from './recovery.mjs';
import { doubtsOf } from './service.mjs';
import { createMany, openStage, play } from './stage.mjs';

const MINUTE = 60_000;
const BEFORE = 5 * MINUTE;
const AFTER = 10 * MINUTE;
/** The shop asks for something itself so often, and waits so long for it. */
const OWN = 30_000;
const PATIENCE = 10_000;

/** Payments: as many times as there are invoices for. The one in the middle comes first, as there may be no other. */
const paymentsOf = ({ length, isFromStart }, begin) => {
  const end = begin + length;
  const middle = begin + Math.floor(length / 2) + (isFromStart ? MINUTE : 0);
  return [
    { at: middle },
    { at: begin + 500 },
    { at: end - 1_000 },
    { at: begin - MINUTE },
    { at: end + MINUTE, pendingFor: 20_000 },
    { at: end + 5 * MINUTE },
    { at: middle + 1_000, pendingFor: 10_000, fails: true },
  ].filter(({ at }) => at > 0);
};

/** Calls of the shop itself after the trouble: counts those that were refused or took too long. */
const ownCalls = ({ client, clock }, from, counted) =>
  Array.from({ length: AFTER / OWN - 1 }, (_, n) => ({
    at: from + (n + 1) * OWN,
    act() {
      const sentAt = clock.now();
      const note = () => void (clock.now() - sentAt > PATIENCE && counted.late++);
      void client.balances.list().then(note, () => void counted.late++);
    },
  }));

export const playCell = async ({
  count,
  trouble,
  isById,
  hasFeed,
  wrap = (watch) => watch,
  seed = 1,
}) => {
  const stage = openStage({ seed });
  const { service, clock, network, device, sandbox } = stage;
  const invoices = await createMany(stage, count);
  const client = stage.newClient({ feed: hasFeed });
  const start = clock.now();
  const begin = trouble.isFromStart ? 0 : BEFORE;
  const span = {
    from: start + begin,
    to: start + begin + trouble.length,
    paid: invoices[0].invoiceId,
  };
  let end;
  const acts = paymentsOf(trouble, begin)
    .slice(0, count)
    .map(({ at, ...how }, n) => ({ at, act: () => service.pay(invoices[n].invoiceId, how) }));
  const beginning = () => void (end = trouble.begin(stage, span));
  if (trouble.isFromStart) beginning();
  else acts.push({ at: begin, act: beginning });
  if (!trouble.isFromStart && !trouble.isLasting)
    acts.push({ at: begin + trouble.length, act: () => end() });
  const own = { late: 0 };
  acts.push(...ownCalls({ client, clock }, begin + trouble.length, own));
  const records = invoices.map(({ invoiceId }, n) =>
    createRecord(`${n}`, invoiceId, 'watch', clock),
  );
  const subjectOf = (invoice) => (isById ? invoice.invoiceId : invoice);
  records.forEach((record, n) =>
    listen(record, (to) =>
      wrap(watchInvoice(client, subjectOf(invoices[n])), { stage, invoice: invoices[n] }).subscribe(
        to,
      ),
    ),
  );
  const used = process.cpuUsage();
  await play(stage, acts, begin + trouble.length + AFTER);
  const { user, system } = process.cpuUsage(used);
  const now = clock.now();
  const setting = { end: now, isLagging: trouble.isLagging, sleeps: device.sleeps };
  const { history } = service;
  const lies = records.map((one) => liesOf(one, history.get(one.id), setting));
  const doubts = await sandbox.run(
    doubtsOf(
      service,
      records.slice(0, 20).map(({ id }) => id),
    ),
  );
  return {
    trouble: trouble.name,
    watches: count,
    'false live': lies.filter(({ isFalse }) => isFalse).length,
    'longest wrong': Math.max(0, ...lies.map(({ worst }) => worst?.lie ?? 0)),
    'all live after': recoveryOf(records, history, span.to, now),
    'slowest later': slowestOf(records, history, span.to, now),
    'wrong ends': records
      .map((one) => wrongEndOf(one, history.get(one.id), setting))
      .filter(Boolean),
    'requests in 10 min': network.sentIn(span.to, now),
    'own calls late': own.late,
    429: network.refusals(trouble.isBlock ? span : undefined),
    cpu: (user + system) / 1e6,
    doubts,
    lies: lies.filter(({ isFalse }) => isFalse).map(({ worst }) => worst),
  };
};
