// The plan says how many files each room may have; `filesOf` lists those that it has.
import { code, table } from './markdown.ts';
import { sourceFiles } from './source.ts';

interface Planned {
  readonly rooms: readonly string[];
  readonly most: number;
  /** The room is rebuilt: more files fail a test. The others have still to be rebuilt. */
  readonly isHeld?: true;
}

export const plan: readonly Planned[] = [
  { rooms: ['core'], most: 30, isHeld: true },
  { rooms: ['money', 'lightning', 'oauth'], most: 21, isHeld: true },
  { rooms: ['resources'], most: 42, isHeld: true },
  { rooms: ['flows'], most: 34, isHeld: true },
  { rooms: ['state'], most: 19, isHeld: true },
  { rooms: ['webhooks', 'stores', 'relay', 'host'], most: 49, isHeld: true },
  { rooms: ['elements', 'devtools', 'rx', 'react', 'vue', 'messages', 'top'], most: 34 },
  { rooms: ['sandbox', 'testing', 'cli'], most: 112, isHeld: true },
];

/** Files of the rooms whose files are one idea each. */
export const REBUILT =
  /^((core|money|lightning|oauth|resources|flows|doctor|state|webhooks|stores|relay|host|devtools|sandbox|testing|cli)\/|[^/]+$)/;

/** The files of some rooms; `top` are those at the top of src. */
export const filesOf = (rooms: readonly string[]): readonly string[] =>
  sourceFiles.filter((file) =>
    rooms.includes(file.includes('/') ? file.slice(0, file.indexOf('/')) : 'top'),
  );

/** Files by room: how many there are, and how many there may be. */
export function planTable(): string {
  const rows = plan.map(({ rooms, most, isHeld }) => {
    return [
      rooms.map((room) => (room === 'top' ? 'the top of `src`' : code(room))).join(', '),
      `${filesOf(rooms).length}`,
      isHeld ? `${most}` : `${most} (not yet)`,
    ];
  });
  return table(['rooms', 'files', 'at most'], rows);
}
