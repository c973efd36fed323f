// The parts of the runtimes' modules that stores in files use. Their own declarations would make
// Node's globals compile in every room, so tsconfig.json names this file instead.
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
