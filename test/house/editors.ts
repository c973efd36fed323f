// An editor, played by the language services of two versions of TypeScript over the package as a
// user has it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript-5.9';
import { root } from './source.ts';

export interface Editor {
  readonly name: string;
  /**
   * Resolves to the text that is shown over the word at this place of the program: signature,
   * comment, tags.
   */
  hover(at: number): Promise<string>;
  /** Resolves to the names that are offered at this place. */
  complete(at: number): Promise<readonly string[]>;
  close(): void;
}

export interface EditorWithMaps extends Editor {
  /**
   * Resolves to the declaration of the word at this place: a file below the top of the project, and
   * the line there.
   */
  define(at: number): Promise<{ readonly file: string; readonly line: string } | undefined>;
}

const SETTINGS = {
  strict: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  noEmit: true,
};

/** A user's folder with the program in it and the package installed; ends with `close`. */
export interface Workplace {
  readonly folder: string;
  readonly file: string;
  readonly text: string;
  close(): void;
}

export function openWorkplace(text: string): Workplace {
  const folder = join(root, '.cache', `editor-${process.pid}`);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules/paystate'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: SETTINGS }));
  const file = join(folder, 'program.ts');
  writeFileSync(file, text);
  return { folder, file, text, close: () => rmSync(folder, { recursive: true, force: true }) };
}

/** TypeScript 5.9, as an editor loads it. */
export function openFive({ folder, file }: Workplace): Editor {
  const { options } = ts.convertCompilerOptionsFromJson(SETTINGS, folder);
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (path) => ts.sys.realpath?.(path) ?? path,
  });
  return {
    name: `TypeScript ${ts.version}`,
    async hover(at) {
      const info = service.getQuickInfoAtPosition(file, at);
      const tags = (info?.tags ?? []).map(
        ({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`,
      );
      return [
        ts.displayPartsToString(info?.displayParts),
        ts.displayPartsToString(info?.documentation),
        ...tags,
      ].join('\n');
    },
    complete: async (at) =>
      service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? [],
    close: () => service.dispose(),
  };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A language server over its standard streams. */
class Server {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #received = Buffer.alloc(0);
  #last = 0;

  constructor(command: string, ...args: string[]) {
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.once('exit', () => {
      for (const answer of this.#waiting.values())
        answer({ error: { message: 'the language server ended' } });
    });
    this.#child.stdout!.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      for (let next = this.#take(); next; next = this.#take()) this.#hear(next);
    });
  }

  #take(): Message | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const length = Number(
      /Content-Length: (\d+)/i.exec(String(this.#received.subarray(0, end)))![1],
    );
    if (this.#received.length < end + 4 + length) return undefined;
    const body = this.#received.subarray(end + 4, end + 4 + length);
    this.#received = this.#received.subarray(end + 4 + length);
    return JSON.parse(String(body)) as Message;
  }

  #hear(message: Message): void {
    if (message.id === undefined) return;
    if (message.method === undefined) this.#waiting.get(message.id)?.(message);
    else this.#write({ id: message.id, result: null });
  }

  #write(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin!.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  tell(method: string, params: object): void {
    this.#write({ method, params });
  }

  async ask<T>(method: string, params: object): Promise<T> {
    const id = ++this.#last;
    const { result, error } = await new Promise<Message>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ id, method, params });
    });
    this.#waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as T;
  }

  close(): void {
    this.#child.kill();
  }
}

interface Location {
  readonly uri: string;
  readonly range: { readonly start: { readonly line: number } };
}

/** TypeScript 7, by its language server. */
export async function openSeven({ folder, file, text }: Workplace): Promise<EditorWithMaps> {
  const server = new Server(join(root, 'node_modules/.bin/tsc'), '--lsp', '--stdio');
  const uri = pathToFileURL(file).href;
  const { serverInfo } = await server.ask<{ serverInfo: { version: string } }>('initialize', {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
  });
  server.tell('initialized', {});
  server.tell('textDocument/didOpen', {
    textDocument: { uri, languageId: 'typescript', version: 1, text },
  });
  const ask = <T>(method: string, at: number): Promise<T> => {
    const before = text.slice(0, at).split('\n');
    const position = { line: before.length - 1, character: before.at(-1)!.length };
    return server.ask<T>(`textDocument/${method}`, { textDocument: { uri }, position });
  };
  return {
    name: `TypeScript ${serverInfo.version}`,
    hover: async (at) =>
      (await ask<{ contents: { value: string } } | null>('hover', at))?.contents.value ?? '',
    complete: async (at) =>
      (await ask<{ items: readonly { label: string }[] }>('completion', at)).items.map(
        ({ label }) => label,
      ),
    async define(at) {
      const [found] = [
        (await ask<Location | readonly Location[] | null>('definition', at)) ?? [],
      ].flat();
      if (!found) return undefined;
      const path = fileURLToPath(found.uri);
      const line = readFileSync(path, 'utf8').split('\n')[found.range.start.line] ?? '';
      return { file: path.replace(root, ''), line: line.trim() };
    },
    close: () => server.close(),
  };
}
