// The one file that imports the packages of this folder: elsewhere their names lead nowhere.
export { Ajv2020 } from 'ajv/dist/2020.js';
export { bech32, bech32m } from 'bech32';
export { default as Big } from 'big.js';
export * as bip21 from 'bip21';
export { default as bolt11 } from 'bolt11';
export { default as bs58check } from 'bs58check';
export { default as lightBolt11 } from 'light-bolt11-decoder';
export { utils as lnurlPay } from 'lnurl-pay';
export { default as odataQuery } from 'odata-query';
export { Validator as OpenApiValidator } from '@seriousme/openapi-schema-validator';
export { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
export { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
export { default as express } from 'express';
export { Hono } from 'hono';
export { serve as serveHono } from '@hono/node-server';
export { getConnInfo } from '@hono/node-server/conninfo';
export { QueryClient, QueryObserver } from '@tanstack/query-core';
export {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
