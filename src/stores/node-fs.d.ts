// As much of Node's file functions as the stores in files use; Deno and Bun have them too. Node's
// own declarations would make its globals compile in every room: tsconfig.json names this file in
// their place.

/** An open file or folder. */
export interface FileHandle {
  writeFile(text: string): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export function open(path: string, flags: 'r' | 'wx', mode?: number): Promise<FileHandle>;
export function link(existing: string, added: string): Promise<void>;
export function unlink(path: string): Promise<void>;
export function readdir(path: string): Promise<string[]>;
export function readFile(path: string, encoding: 'utf8'): Promise<string>;
export function mkdir(path: string, options: { recursive: true; mode: number }): Promise<unknown>;
