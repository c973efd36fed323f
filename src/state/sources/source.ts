import type { Gap } from '../../resources/events/cursor.ts';
import type { ServiceEvent } from '../../resources/events/model.ts';
import type { AnyEntry } from '../entry.ts';

/** What a source tells the hub. */
export interface SourceListener {
  /**
   * The feed has brought these, and could not bring some. `now`: the service's time, milliseconds
   * since 1970; `NaN` where it is not known.
   */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void;
  /**
   * This one may have changed. `isShownByAny`: no read can come from a copy that does not show it yet.
   */
  invalidate(trigger: string, resource: string, id: string, isShownByAny?: boolean): void;
  /** Any resource may have changed since the source was heard last. */
  resumed(trigger: string): void;
}

/**
 * Something that tells the hub that resources may have changed. It brings no values: what is shown
 * was read.
 */
export interface ChangeSource {
  readonly name: string;
  /**
   * How often this entry is read although the source tells of its changes, milliseconds;
   * `undefined` where it does not tell of them.
   */
  safetyPeriod(entry: AnyEntry): number | undefined;
  /** Hears at once what was missed, or finds out that the source is lost. */
  wake(): void;
  /** Holds nothing open until it is woken. */
  stop(): void;
}
