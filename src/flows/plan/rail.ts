import type { Bucket, Connection } from '../../core/http/index.ts';
import type { Store } from '../../stores/store.ts';
import type { PayReason } from '../pay/row.ts';
import type { PlannedRow, PlannedTerms, PlanReportRow } from './model.ts';

/** The options of one row, and where it is written down. */
type RowOptions = PlannedRow['options'] & { readonly journal: Store };

/** Where a row stands. */
export type RowState = Omit<PlanReportRow, 'intent' | 'planned'> & {
  readonly phase: Exclude<PlanReportRow['phase'], 'not-begun'>;
};

/** A row that the journal has. */
interface KnownRow {
  readonly state: RowState;
  /** It is of the same order. */
  readonly isOurs: boolean;
  /** A caller has acknowledged its end. */
  readonly isAcknowledged: boolean;
}

/** A row that is under way. */
export interface RowRun {
  /** Called at once and at each change; returns what ends that. */
  subscribe(hear: (state: RowState) => void): () => void;
  /** How it ends; never rejects. */
  readonly end: Promise<RowState>;
  /** Begins another round after its end. */
  retry(): RowRun;
  /** Says that its end was heard; never rejects. */
  ack(): Promise<void>;
  /** Stops watching. */
  detach(): void;
}

/** What a row would take, or why it must not be done. */
export type AskedTerms =
  | { readonly terms: PlannedTerms; readonly why?: undefined }
  | { readonly why: PayReason; readonly terms?: undefined };

/** What a row takes of one rate limit. */
export interface RowCost {
  readonly bucket: Bucket;
  readonly requests: number;
}

/** How one kind of rows is planned and done. */
export interface PlanRail {
  /** What a row needs of the rate limits. */
  costOf(client: Connection, options: RowOptions): readonly RowCost[];
  /** Checks the options; returns the intent. Throws InputError. */
  read(client: Connection, options: RowOptions): string;
  /** What the journal says. */
  look(client: Connection, options: RowOptions): Promise<KnownRow | undefined>;
  /** What it would take, or why it must not be done. Nothing moves. */
  askTerms(client: Connection, options: RowOptions, signal?: AbortSignal): Promise<AskedTerms>;
  /** Begins it, or joins what was begun; `isRestart`: by a process that has died. */
  start(client: Connection, options: RowOptions, isRestart: boolean): RowRun;
}

const ENDS: readonly string[] = ['paid', 'failed', 'refused', 'unknown', 'stopped'];

/** Nothing more happens to the row by itself. */
export function isRowOver({ phase }: Pick<PlanReportRow, 'phase'>): boolean {
  return ENDS.includes(phase);
}
