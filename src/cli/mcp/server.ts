import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, type RpcHandler } from './json-rpc.ts';
import { type Tool, toolError, type ToolResult } from './tools.ts';

/** Versions of the Model Context Protocol that differ in nothing that is used here. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05'];

interface ServerOptions {
  readonly version: string;
  readonly tools: readonly Tool[];
  readonly instructions: string;
}

/** Answers requests of the Model Context Protocol: its tools, and nothing else. */
export function createMcpHandler({ version, tools, instructions }: ServerOptions): RpcHandler {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (method, params) => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: VERSIONS.find((one) => one === params['protocolVersion']) ?? VERSIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: 'paystate', version },
          instructions,
        };
      case 'ping':
      case 'notifications/initialized':
      case 'notifications/cancelled':
        return {};
      case 'tools/list':
        return { tools: tools.map(({ run: _run, ...tool }) => tool) };
      case 'tools/call':
        return callTool(byName.get(`${params['name']}`), params['arguments']);
      default:
        throw new RpcError(METHOD_NOT_FOUND, `there is no method ${method.slice(0, 40)}`);
    }
  };
}

async function callTool(tool: Tool | undefined, given: unknown = {}): Promise<ToolResult> {
  if (!tool) throw new RpcError(INVALID_PARAMS, 'there is no such tool');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new RpcError(INVALID_PARAMS, 'arguments must be an object');
  const stranger = Object.keys(given).find(
    (name) => !Object.hasOwn(tool.inputSchema['properties'] as object, name),
  );
  if (stranger !== undefined)
    throw new RpcError(INVALID_PARAMS, `${tool.name} takes no "${stranger.slice(0, 40)}"`);
  try {
    return await tool.run(given as Readonly<Record<string, unknown>>);
  } catch (thrown) {
    return toolError(thrown);
  }
}
