import type { AnyEntry } from '../entry.ts';

/** What a source tells the hub. */
export interface SourceListener {
  /**
   * Resources may have changed. `changesOf`: how many changes of this one were announced; 0 where only
   * its creation was; nothing where it is not concerned.
   */
  changed(trigger: string, changesOf: (entry: AnyEntry) => number | undefined): void;
  /** This one may have changed. */
  invalidate(trigger: string, resource: string, id: string): void;
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
