import process from 'node:process';
import { ACCOUNT_OPTIONS, accountClient } from '../account.ts';
import { type Command, EXIT, listOption, textOption } from '../command.ts';
import { serveJsonRpc } from '../mcp/json-rpc.ts';
import { createMcpHandler } from '../mcp/server.ts';
import { budgetOf, spendTools } from '../mcp/spend-tools.ts';
import { apiTools } from '../mcp/tools.ts';
import { packageVersion } from '../package-version.ts';

/** `paystate mcp`: the account as tools of a model, over stdin and stdout. */
export const mcp: Command = {
  usage: 'mcp [options]',
  about: `the account as tools for a model (Model Context Protocol, over stdin and stdout)
Without options it only reads. --allow adds single operations by which no money leaves. --spend adds the tool "pay" with a
budget for each day, kept in the journal, which also keeps anything from being paid twice.`,
  options: {
    ...ACCOUNT_OPTIONS,
    allow: {
      type: 'string',
      multiple: true,
      value: 'OPERATION',
      help: 'such as invoices.create',
    },
    spend: {
      type: 'string',
      multiple: true,
      value: 'CUR=AMOUNT',
      help: 'the most to spend a day (UTC) in this currency, fees included',
    },
    journal: { type: 'string', value: 'FOLDER', help: 'with --spend: where payments are kept' },
  },
  async run(given, _, terminal) {
    const client = accountClient(given);
    const budget = budgetOf(listOption(given, 'spend'));
    const tools = [
      ...apiTools(client, listOption(given, 'allow')),
      ...spendTools(client, budget, textOption(given, 'journal')),
    ];
    const handle = createMcpHandler({
      version: packageVersion(),
      tools,
      instructions:
        'Amounts are decimal texts with a currency; never calculate with floating-point numbers. An error with outcome "unknown" may have been done: look before it is repeated.',
    });
    await serveJsonRpc(process.stdin, process.stdout, handle, terminal.signal);
    return EXIT.ok;
  },
};
