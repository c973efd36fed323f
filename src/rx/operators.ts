import {
  distinctUntilChanged,
  filter,
  map,
  type MonoTypeOperatorFunction,
  type OperatorFunction,
  takeWhile,
} from 'rxjs';
import { isSettled } from '../resources/any-resource.ts';
import type { Snapshot } from '../state/index.ts';

/**
 * The known values alone: emits when the value changes, not when only its freshness does.
 *
 * @example
 * watchInvoice(client, invoice).pipe(values()).subscribe(({ state }) => console.log(state));
 */
export function values<T>(): OperatorFunction<Snapshot<T>, T> {
  return (seen) =>
    seen.pipe(
      filter(({ asOf }) => asOf !== undefined),
      map(({ value }) => value as T),
      distinctUntilChanged(),
    );
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
