// One of several processes on one store and one inbox:  work.ts KIND PLACE NAME SUMS DURATION
// It counts by compare-and-set, and processes what it can lease until nothing is left.
import { type Kind, openPlace } from './places.ts';

const [kind, place, name, sums, duration] = globalThis.process.argv.slice(2) as [
  Kind,
  string,
  string,
  string,
  string,
];
const { store, inbox, beside, end } = await openPlace(kind, place);

for (let done = 0; done < Number(sums); ) {
  const { value = 0, version = 0 } = (await store.get('sum')) ?? {};
  if (await store.compareAndSet('sum', version, (value as number) + 1)) done++;
}

for (let idle = 0; idle < 3; ) {
  const leases = await inbox.lease(5_000, Number(duration), 3);
  idle = leases.length > 0 ? 0 : idle + 1;
  for (const lease of leases)
    await inbox.commit(lease, { state: name, done: lease.events }, (tx) => {
      // the same key a second time is refused
      for (const { id } of lease.events) beside.write(tx, id, name);
    });
}
await end();
