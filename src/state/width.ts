import { type Connection, shared } from '../core/connection.ts';
import { isPaystateError } from '../core/errors.ts';

/** List widths that are tried in turn; services of this kind refuse long filters at different lengths. */
const STEPS = [15, 30, 60, 100] as const;
/** Clean answers before the next step is tried. */
const TRUST = 20;

/** How many ids one list may ask for, learned from the answers and kept as long as the client. */
interface Learned {
  width: number;
  clean: number;
  /** A width that was refused; never tried again. */
  refused: number;
}

export interface Width {
  current(): number;
  accepted(): void;
  /** Halves the width when the error says that the list was too long; else returns false. */
  refusedBy(error: unknown): boolean;
}

export function listWidth(connection: Connection): Width {
  const learned = shared<Learned>(connection, 'state.width', () => ({ width: STEPS[0], clean: 0, refused: Infinity }));
  return {
    current: () => learned.width,
    accepted() {
      if (++learned.clean < TRUST) return;
      const next = STEPS.find((step) => step > learned.width && step < learned.refused);
      learned.clean = 0;
      if (next) learned.width = next;
    },
    refusedBy(error) {
      if (!isPaystateError(error) || !isTooLong(error.code, error.status)) return false;
      learned.refused = Math.min(learned.refused, learned.width);
      learned.width = Math.max(1, Math.floor(learned.width / 2));
      learned.clean = 0;
      return true;
    },
  };
}

function isTooLong(code: string, status: number | undefined): boolean {
  return code === 'INVALID_DATA_QUERY' || status === 413 || status === 414 || status === 431;
}
