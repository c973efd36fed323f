// What the tests use of the packages; their own types are there only once they are installed.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
/** A validator of JSON Schema 2020-12, which is that of OpenAPI 3.1. */
export class Ajv2020 {
  constructor(options: { readonly strict: boolean; readonly allErrors: boolean });
  addSchema(schema: object, key: string): this;
  compile(schema: object): ((value: unknown) => boolean) & { readonly errors?: unknown };
}

interface Bech32 {
  encode(prefix: string, words: ArrayLike<number>, limit?: number): string;
  decode(text: string, limit?: number): { readonly prefix: string; readonly words: number[] };
  decodeUnsafe(
    text: string,
    limit?: number,
  ): { readonly prefix: string; readonly words: number[] } | undefined;
  toWords(bytes: ArrayLike<number>): number[];
  fromWords(words: ArrayLike<number>): number[];
}
export const bech32: Bech32;
export const bech32m: Bech32;

interface BigNumber {
  plus(other: BigNumber): BigNumber;
  minus(other: BigNumber): BigNumber;
  times(other: BigNumber): BigNumber;
  div(other: BigNumber): BigNumber;
  cmp(other: BigNumber): -1 | 0 | 1;
  round(digits: number, mode: number): BigNumber;
  toFixed(digits?: number, mode?: number): string;
}
export const Big: { (text: string): BigNumber; DP: number; RM: number; NE: number; PE: number };

export const bip21: {
  encode(address: string, options: Record<string, unknown>): string;
  decode(text: string): { readonly address: string; readonly options: Record<string, unknown> };
};

interface Section {
  readonly name: string;
  readonly value?: unknown;
}
export const lightBolt11: {
  decode(text: string): { readonly sections: readonly Section[]; readonly expiry?: number };
};
export const bolt11: {
  decode(text: string): Record<string, unknown> & {
    readonly tags: readonly { readonly tagName: string; readonly data: unknown }[];
  };
  encode(draft: object, addDefaults?: boolean): object;
  sign(draft: object, key: string): { readonly paymentRequest: string };
};
export const bs58check: {
  encode(bytes: Uint8Array): string;
  decodeUnsafe(text: string): Uint8Array | undefined;
};
export const lnurlPay: {
  decodeUrlOrAddress(text: string): string | null;
  isLnurl(text: string): boolean;
};
export const odataQuery: (options: { readonly filter: object }) => string;
export const OpenApiValidator: new () => {
  validate(file: string): Promise<{ readonly valid: boolean; readonly errors?: unknown }>;
  readonly version?: string;
};

interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
}
export class McpClient {
  constructor(info: { readonly name: string; readonly version: string });
  connect(transport: StdioClientTransport): Promise<void>;
  getInstructions(): string | undefined;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  listTools(): Promise<{
    readonly tools: readonly {
      readonly name: string;
      readonly description?: string;
      readonly inputSchema: object;
      readonly annotations?: { readonly readOnlyHint?: boolean };
    }[];
  }>;
  callTool(call: { readonly name: string; readonly arguments?: object }): Promise<ToolResult>;
  close(): Promise<void>;
}
export class StdioClientTransport {
  constructor(server: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly stderr?: 'pipe';
  });
}

type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown;

interface ExpressApp {
  post(path: string, handler: NodeHandler): this;
  use(handler: NodeHandler): this;
  use(path: string, handler: NodeHandler): this;
  listen(port: number, host: string): Server;
}
type Parser = (options: { readonly type: string }) => NodeHandler;
export const express: { (): ExpressApp; json(): NodeHandler; text: Parser; raw: Parser };

interface HonoContext {
  readonly req: { readonly raw: Request };
}
/** As much of a Hono app as a shop needs. */
export class Hono {
  all(path: string, handler: (context: HonoContext) => unknown): this;
  post(path: string, handler: (context: HonoContext) => unknown): this;
  readonly fetch: (request: Request) => Response | Promise<Response>;
}
export function serveHono(options: {
  readonly fetch: Hono['fetch'];
  readonly port: number;
  readonly hostname: string;
}): Server;
export function getConnInfo(context: HonoContext): {
  readonly remote: { readonly address?: string };
};

/** What a query of TanStack Query is made of here. */
interface Query<Data> {
  readonly queryKey: readonly string[];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<Data>;
}
export class QueryClient {
  fetchQuery<Data>(query: Query<Data>): Promise<Data>;
  getQueryData<Data>(key: readonly string[]): Data | undefined;
  setQueryData<Data>(key: readonly string[], value: Data): unknown;
  clear(): void;
}
export class QueryObserver<Data> {
  constructor(client: QueryClient, query: Query<Data>);
  subscribe(listener: (result: { readonly data: Data | undefined }) => void): () => void;
}

/** What an exporter of OpenTelemetry gets of a span. */
export interface ReadSpan {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string }[];
  readonly status: { readonly code: number };
  readonly ended: boolean;
}
interface OpenSpan {
  setAttributes(values: object): this;
  setStatus(status: { readonly code: number }): this;
  addEvent(name: string): this;
  end(): void;
}
export class InMemorySpanExporter {
  getFinishedSpans(): readonly ReadSpan[];
}
export class SimpleSpanProcessor {
  constructor(exporter: InMemorySpanExporter);
}
export class BasicTracerProvider {
  constructor(options: { readonly spanProcessors: readonly SimpleSpanProcessor[] });
  getTracer(name: string): {
    startActiveSpan(name: string, run: (span: OpenSpan) => unknown): unknown;
  };
  shutdown(): Promise<void>;
}
