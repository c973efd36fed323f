import { eventTypes } from '../../resources/events.types.ts';
import { ACCOUNT_OPTIONS, accountClient, accountSettings } from '../account.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { sandboxControl } from '../sandbox-control.ts';
import { triggers } from '../triggers.ts';

/** `paystate trigger`: makes an event of a type happen in a sandbox. */
export const trigger: Command = {
  usage: 'trigger TYPE [options]',
  about: `makes something happen in a sandbox that has an event of this type
It acts as a customer, a bank or the network would, so what the event is about is there and can be read.
TYPE is one of ${Object.keys(eventTypes).join(', ')}.`,
  words: 1,
  options: ACCOUNT_OPTIONS,
  async run(given, [type = ''], terminal) {
    if (!Object.hasOwn(triggers, type))
      throw new UsageError(
        `${type === '' ? 'a type is missing' : `"${type}" is no type of events`}; there are ${Object.keys(triggers).join(', ')}`,
      );
    const client = accountClient(given);
    const control = await sandboxControl(accountSettings(given).baseUrl ?? '');
    const entityId = await triggers[type as keyof typeof triggers]({ client, control });
    terminal.emit({ eventType: type, entityId });
    terminal.print(`${terminal.style('cyan', type)} ${entityId}`);
    return EXIT.ok;
  },
};
