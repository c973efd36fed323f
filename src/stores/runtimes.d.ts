// The parts of the runtimes' modules used by file stores. Their own declarations would make Node's
// globals available in every module, so tsconfig.json names this file instead.
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
