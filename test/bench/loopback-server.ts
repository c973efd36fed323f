// Answers every request with one invoice, in a process of its own.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { headers, invoice } from './answer.ts';

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(invoice);
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
