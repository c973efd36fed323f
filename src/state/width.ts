import { type Connection, shared } from '../core/connection.ts';
import { isPaystateError } from '../core/errors.ts';

/** List widths that are tried in turn; services of this kind refuse long filters at different lengths. */
const STEPS = [15, 30, 60, 100] as const;
/** Clean answers before the next step is tried. */
const TRUST = 20;

/** How many ids one list may ask for, learned from the answers and kept as long as the client. */
interface Learned {
  /** Was accepted, or is the careful start. */
  width: number;
  clean: number;
  /** A width that was refused; never tried again. */
  refused: number;
  /** One list is out that tries the next step; all others keep to the proven width. */
  trying: boolean;
}

export interface Width {
  /** The proven width. */
  current(): number;
  /** Width for the next list, when `available` ids wait. */
  take(available: number): number;
  accepted(asked: number): void;
  /** Learns from an error that says that the list was too long; else returns false. */
  refusedBy(error: unknown, asked: number): boolean;
}

export function listWidth(connection: Connection): Width {
  const learned = shared<Learned>(connection, 'state.width', () => ({ width: STEPS[0], clean: 0, refused: Infinity, trying: false }));
  return {
    current: () => learned.width,
    take(available) {
      const next = STEPS.find((step) => step > learned.width && step < learned.refused);
      if (!next || next > available || learned.trying || learned.clean < TRUST) return learned.width;
      learned.trying = true;
      return next;
    },
    accepted(asked) {
      learned.clean++;
      if (asked > learned.width) Object.assign(learned, { width: asked, clean: 0, trying: false });
    },
    refusedBy(error, asked) {
      const tried = asked > learned.width;
      if (tried) learned.trying = false;
      if (!isPaystateError(error) || !isTooLong(error.code, error.status)) return false;
      if (!tried) learned.width = Math.min(learned.width, Math.max(1, Math.floor(asked / 2))); // many may be refused at once
      learned.refused = Math.min(learned.refused, asked);
      learned.clean = 0;
      return true;
    },
  };
}

function isTooLong(code: string, status: number | undefined): boolean {
  return code === 'INVALID_DATA_QUERY' || status === 413 || status === 414 || status === 431;
}
