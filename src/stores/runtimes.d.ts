// The parts of the runtimes' built-in modules that file stores use. `tsconfig.json` maps those
// modules to this file, because their own type declarations would make Node's globals available
// everywhere.
import type { SqliteDatabase } from './drivers.ts';

export interface FileHandle {
  close(): Promise<void>;
}

export interface Stats {
  readonly ino: number;
  isDirectory(): boolean;
}

// node:fs/promises
export function open(path: string, flags: 'a', mode: number): Promise<FileHandle>;
export function readdir(path: string): Promise<string[]>;
export function stat(path: string): Promise<Stats>;
export function mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;

// node:sqlite
export const DatabaseSync: new (path: string) => SqliteDatabase;
