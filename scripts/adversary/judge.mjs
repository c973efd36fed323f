// Says what is wrong with what the SDK and the user said, by the books of the sandbox and what the network has seen.
import { idIn } from './wire.mjs';

/** Money has not moved, or is back. */
const IS_BACK = / (FAILED|REVERSED)$/;

/** What the service has really done for an intent: { thing, id, sent } of each request that had its effect. */
const effectsOf = (intent, log) =>
  log
    .filter((sent) => sent.intent === intent && sent.request.resource)
    .flatMap((sent) =>
      sent.copies
        .filter(({ status }) => status < 300)
        .map(({ json, at }) => ({
          thing: sent.request.thing,
          id: idIn(json) ?? sent.request.id,
          sent,
          at,
        })),
    );

/** By the books: what became of each thing that money moved for. */
const lastPostings = (sandbox) => {
  if (!sandbox.adversaryBooks)
    sandbox.adversaryBooks = new Map(
      sandbox.ledger.postings.map(({ entityId, why }) => [entityId, why]),
    );
  return sandbox.adversaryBooks;
};

const nameOf = (value) =>
  value?.paymentId ?? value?.invoice?.invoiceId ?? value?.invoiceId ?? value?.id;

/** One call of the SDK against the truth. */
const lieOf = (call, { intent, log, effects }) => {
  const own = log
    .slice(0, call.to)
    .filter(
      (sent) => sent.intent === intent && sent.process === call.process && sent.request.resource,
    );
  const inCall = own.filter(({ index }) => index >= call.from);
  const things = new Set([
    ...inCall.map(({ request }) => request.thing),
    ...(call.about ? [call.about] : []),
  ]);
  const done = effects.filter(
    ({ thing, sent }) =>
      things.has(thing) && (call.isDone ? sent.index < call.to : own.includes(sent)),
  );
  if (call.error !== undefined)
    return call.error.outcome === 'not-done' && isMoney(call) && done.length > 0
      ? ['falseNo', `${call.name} said not-done (${call.error.code}), but it was done`]
      : undefined;
  if (!call.isDone) return undefined;
  const named = nameOf(call.value);
  if (/\.find$/.test(call.name))
    return named !== undefined && named !== call.about
      ? ['falseDone', `${call.name} gave another one`]
      : undefined;
  if (!isMoney(call)) return undefined;
  if (call.name === 'payouts.initiate' && named !== call.about)
    return ['falseDone', 'payouts.initiate gave another payout'];
  if (/^invoices/.test(call.name))
    return done.some(({ id }) => id === named)
      ? undefined
      : ['falseDone', `${call.name} gave another invoice, or none`];
  if (named !== undefined && !done.some(({ id }) => id === named))
    return ['foreign', `${call.name} gave what is not this intent's`];
  return done.length > 0 ? undefined : ['falseDone', `${call.name} resolved, but nothing was done`];
};

const MAKER = { payment: 'payment quote', exchange: 'exchange quote', payout: 'payout' };

/** It moved money for what another intent, or another program, had made. */
const strayOf = (intent, effects, { makers }) => {
  const found = effects.find(({ sent, thing }) => {
    const isMade = MAKER[sent.request.resource] !== undefined;
    return isMade && makers.has(thing) && makers.get(thing) !== intent;
  });
  return found && ['astray', `it executed the ${MAKER[found.sent.request.resource]} of another`];
};

const centsOf = (text) => {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2));
};

/** All that went back of one invoice, against the twenty that came in. */
const overRefund = (intent, { log, books }) => {
  if (!intent.invoice) return undefined;
  const amounts = new Map(); // by payment
  for (const { intent: other, request, copies } of log)
    if (other.invoice === intent.invoice && request.resource === 'payment')
      for (const { status, json } of copies)
        if (status < 300 && !IS_BACK.test(books.get(json.paymentId) ?? ''))
          amounts.set(json.paymentId, centsOf(json.amount.amount));
  const sum = [...amounts.values()].reduce((all, one) => all + one, 0n);
  return sum > 2_000n ? ['overRefunded', `${sum} cents of 2000 went back`] : undefined;
};

const isMoney = ({ name }) => /execute$|initiate$|deposits\.create$|^invoices\./.test(name);

const verdictOfEnd = ({ said, id, state }, { live, effects, books }) => {
  if (said === 'done' && effects.length === 0)
    return ['falseDone', 'the user believes that it is done; nothing was'];
  if (said === 'done' && id !== undefined && !effects.some((effect) => effect.id === id))
    return ['falseDone', "the user believes in another one's"];
  if (said === 'done' && state === 'COMPLETED' && IS_BACK.test(books.get(id)))
    return ['falseDone', 'read as COMPLETED; it had failed'];
  if ((said === 'not-done' || said === 'failed') && live.length > 0)
    return ['falseNo', `the user believes that it is ${said}; it was done`];
  return undefined;
};

/** { intent, said, verdicts: [[kind, text]], requests, transcript() }. */
export const judge = ({ intent, sandbox, network, begin }) => {
  const { log } = network;
  const books = lastPostings(sandbox);
  const effects = effectsOf(intent, log);
  const live = [...new Set(effects.map(({ id }) => id))].filter(
    (id) => !IS_BACK.test(books.get(id) ?? ''),
  );
  const verdicts = intent.calls
    .map((call) => {
      const lie = lieOf(call, { intent, log, effects });
      return lie && [...lie, call];
    })
    .filter(Boolean);
  const end = verdictOfEnd(intent.end, { live, effects, books });
  if (end) verdicts.push(end);
  const stray = strayOf(intent, effects, network);
  if (stray) verdicts.push(stray);
  const over = overRefund(intent, { log, books });
  if (over) verdicts.push(over);
  if (intent.end.said === 'stuck')
    verdicts.push(['stuck', 'it has not ended and does not say why']);
  if (live.length > 1) verdicts.push(['doubled', `done ${live.length} times`]);
  for (const thrown of intent.strays)
    verdicts.push(['stray', `threw what is no PaystateError: ${thrown}`]);
  const requests = log.filter((sent) => sent.intent === intent).length;
  return {
    intent,
    said: intent.end.said,
    verdicts,
    requests,
    live: live.length,
    transcript: () => transcriptOf({ intent, log, begin, verdicts }),
  };
};

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`.padStart(11);
const short = (text = '') => String(text).slice(0, 8);

const heardOf = ({ heard }) =>
  heard === undefined
    ? 'no answer yet'
    : heard === 'nothing'
      ? 'connection lost'
      : `${heard.status} ${heard.isCut ? '(cut) ' : ''}${heard.text.replace(/\s+/g, ' ').slice(0, 90)}`;

const saidOf = (call) => {
  if (call.isCut) return 'the process ended';
  if (call.error) return `${call.error.outcome}, ${call.error.code}, next ${call.error.next}`;
  return `resolved ${short(nameOf(call.value))} ${call.value?.state ?? ''}`;
};

/** What the wire did, line by line. */
const transcriptOf = ({ intent, log, begin, verdicts }) => {
  const lines = [];
  const add = (at, text) => lines.push({ at, text });
  for (const call of intent.calls) add(call.at, `  ${call.name} ${short(call.about)} …`);
  for (const sent of log.filter((one) => one.intent === intent)) {
    add(
      sent.at,
      `    ${sent.request.kind} ${short(sent.request.thing ?? sent.request.id)} #${sent.process.number} [${sent.fault}] heard: ${heardOf(sent)}`,
    );
    for (const { at, status, code, json } of sent.copies)
      add(
        at,
        `        service: ${status} ${code ?? ''} ${short(idIn(json))} ${json?.state ?? ''}${at > sent.at ? ` (sent ${seconds(sent.at - begin).trim()})` : ''}`,
      );
  }
  for (const call of intent.calls)
    add(
      call.until ?? call.at,
      `  ${call.name} ${short(call.about)}: ${saidOf(call)}${verdicts.some((verdict) => verdict[2] === call) ? '   <-- wrong' : ''}`,
    );
  for (const { at, text } of intent.notes) add(at, `  ${text}`);
  const sorted = lines
    .map((line, at) => ({ ...line, order: at }))
    .sort((one, other) => one.at - other.at || one.order - other.order);
  return [
    ...sorted.map(({ at, text }) => `${seconds(at - begin)} ${text}`),
    `            the user: ${intent.end.said}`,
  ].join('\n');
};
