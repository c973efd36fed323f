import {
  defer,
  distinctUntilChanged,
  filter,
  map,
  type MonoTypeOperatorFunction,
  type OperatorFunction,
  takeWhile,
} from 'rxjs';
import { isSettled } from '../resources/any-resource.ts';
import type { Snapshot } from '../state/index.ts';
import { isKept } from '../state/snapshot.ts';

/**
 * Emits the values alone: those that are `live`, and those that were read since the subscription
 * began. A value that was kept from before is left out until a read has confirmed it, so
 * `firstValueFrom` gets the value of now. A change of freshness alone emits nothing.
 *
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function values<T>(): OperatorFunction<Snapshot<T>, T> {
  return (snapshots) =>
    defer(() => {
      let keptFrom: number | undefined;
      return snapshots.pipe(
        filter((snapshot, index) => {
          const { checkedAt, freshness } = snapshot;
          // a number, since the snapshot itself follows later reads
          if (index === 0) keptFrom = checkedAt;
          if (freshness === 'live') return true;
          // a member of a client learns what was kept after it has loaded what watches
          return checkedAt !== undefined && checkedAt !== keptFrom && !isKept(snapshot);
        }),
        map(({ value }) => value as T),
        distinctUntilChanged(),
      );
    });
}

/**
 * Completes after the first settled value, for watches that were asked to go on (`until: 'never'`).
 *
 * @example
 * watchInvoice(client, invoice, { until: 'never' }).pipe(untilSettled()).subscribe();
 */
export function untilSettled<T extends { readonly state: string }>(): MonoTypeOperatorFunction<
  Snapshot<T>
> {
  return (seen) =>
    seen.pipe(
      takeWhile(
        ({ value, freshness }) => !value || freshness !== 'live' || !isSettled(value.state),
        true,
      ),
    );
}
