// Receive requests and their receives, as the model knows them.
import { invalid, ok, refused, type Said, unknown } from './answers.ts';
import { askable, requireCurrency, requireText } from './amounts.ts';
import { type Sum, wire, type Wire } from './decimals.ts';
import type { Account, Entity, Model } from './model.ts';
import { owned, touch } from './play.ts';

export interface Receive extends Entity {
  readonly request: ReceiveRequest;
  readonly type: 'LIGHTNING' | 'ONCHAIN' | 'P2P';
  readonly received: Sum;
  readonly payer: Account | undefined;
  state: string;
  credited: Sum | undefined;
}

export interface ReceiveRequest extends Entity {
  readonly account: Account;
  readonly target: string;
  readonly bolt11:
    | {
        readonly asked: Sum | undefined;
        readonly sats: Sum | undefined;
        readonly end: number;
        readonly description: string | undefined;
        standing: 'open' | 'running' | 'paid';
        text: string;
      }
    | undefined;
  readonly onchain:
    | { readonly asked: Sum | undefined; readonly sats: Sum | undefined; text: string }
    | undefined;
  readonly receives: Receive[];
}

export const requestsOf = (model: Model): ReceiveRequest[] =>
  model.table('receive requests', () => []);
export const receivesOf = (model: Model): Receive[] => model.table('receives', () => []);

const touched = (model: Model, request: ReceiveRequest): void =>
  touch(model, request, () => [
    { account: request.account, path: `/v1/receive-requests/${request.id}`, shown: shown(request) },
    {
      account: request.account,
      path: `/v1/receive-requests/${request.id}/receives`,
      shown: {
        count: request.receives.length,
        items: [...request.receives].reverse().map(showReceive),
      },
      learn: (body) => learnIds(request, body),
    },
  ]);

/** What another account pays has no event before its end: its id is seen in the list alone. */
const learnIds = (
  { receives }: ReceiveRequest,
  { items }: { readonly items: readonly { readonly receiveId: string }[] },
): void => {
  for (const [place, receive] of [...receives].reverse().entries())
    if (receive.id === '') receive.id = items[place]!.receiveId;
};

const way = ({
  asked,
  sats,
}: {
  readonly asked: Sum | undefined;
  readonly sats: Sum | undefined;
}): object => ({ requestedAmount: asked && wire(asked), btcAmount: sats && wire(sats).amount });

export const shown = ({ id, target, bolt11, onchain }: ReceiveRequest): object => ({
  receiveRequestId: id,
  targetCurrency: target,
  bolt11: bolt11 && { ...way(bolt11), invoice: bolt11.text, description: bolt11.description },
  onchain: onchain && { ...way(onchain), address: onchain.text },
});

const showReceive = ({ id, request, type, received, payer, state, credited }: Receive): object => ({
  ...(id !== '' && { receiveId: id }),
  receiveRequestId: request.id,
  type,
  state,
  amountReceived: wire(received),
  amountCredited: credited && wire(credited),
  ...(payer && { p2p: { payerAccountId: payer.id } }),
});

export interface RequestDraft {
  readonly bolt11?:
    | {
        readonly amount?: Wire | undefined;
        readonly description?: string | undefined;
        readonly expiryInSeconds?: number | undefined;
      }
    | undefined;
  readonly onchain?: { readonly amount?: Wire | undefined } | undefined;
  readonly targetCurrency?: string | undefined;
}

export const requestShape =
  ({ bolt11, onchain }: RequestDraft) =>
  (): void => {
    if (bolt11?.amount) requireText(bolt11.amount.amount, 'bolt11.amount.amount');
    if (onchain?.amount) requireText(onchain.amount.amount, 'onchain.amount.amount');
    if (!bolt11 && !onchain) throw invalid('bolt11', 'INVALID_DATA_REQUIRED');
  };

export const createRequest = (
  model: Model,
  account: Account,
  { bolt11, onchain, targetCurrency: target = account.home }: RequestDraft,
): Said => {
  requireCurrency(account, target, 'targetCurrency');
  const asking = (
    given: Wire | undefined,
    field: string,
  ): { asked: Sum | undefined; sats: Sum | undefined } => {
    const asked = given && askable(account, given, field);
    return { asked, sats: asked && model.convert(asked, 'BTC', 'up') };
  };
  const request: ReceiveRequest = {
    id: '',
    account,
    target,
    receives: [],
    bolt11: bolt11 && {
      ...asking(bolt11.amount, 'bolt11.amount'),
      end: model.now - (model.now % 1_000) + (bolt11.expiryInSeconds ?? 3_600) * 1_000,
      description: bolt11.description,
      standing: 'open',
      text: '',
    },
    onchain: onchain && { ...asking(onchain.amount, 'onchain.amount'), text: '' },
  };
  requestsOf(model).push(request);
  touched(model, request);
  return ok(
    () => shown(request),
    201,
    (body: {
      receiveRequestId: string;
      bolt11?: { invoice: string };
      onchain?: { address: string };
    }) => {
      request.id = body.receiveRequestId;
      if (request.bolt11) request.bolt11.text = body.bolt11!.invoice;
      if (request.onchain) request.onchain.text = body.onchain!.address;
    },
  );
};

export const findRequest = (account: Account, found: ReceiveRequest | undefined): Said =>
  ok(shown(owned(found, (one) => one.account === account)));

export const listReceives = (model: Model, account: Account): Said => {
  const all = receivesOf(model)
    .filter(({ request }) => request.account === account)
    .reverse();
  return ok({ count: all.length, items: all.map(showReceive) });
};

export const beginReceive = (
  model: Model,
  request: ReceiveRequest,
  given: Pick<Receive, 'type' | 'received' | 'payer'>,
  isSeen = false,
): Receive => {
  const receive: Receive = { id: '', request, ...given, state: 'PENDING', credited: undefined };
  request.receives.push(receive);
  receivesOf(model).push(receive);
  if (isSeen)
    model.tell(request.account, 'receive-request.receive-pending', request, undefined, receive);
  touched(model, request);
  return receive;
};

/** It came back: it never was. */
export const dropReceive = (model: Model, receive: Receive): void => {
  for (const list of [receive.request.receives, receivesOf(model)])
    list.splice(list.indexOf(receive), 1);
  touched(model, receive.request);
};

/** The money is credited; `booked`: by the payment of another account. */
export const endReceive = (model: Model, receive: Receive, booked?: Sum): void => {
  const { request, received, type } = receive;
  const credited = booked ?? model.convert(received, request.target, 'down');
  const [from, to] = [type === 'ONCHAIN' ? 'chain' : 'ln', `${request.account.handle}.free`];
  if (!booked)
    model.post(
      credited.currency === received.currency
        ? [{ from, to, money: credited }]
        : [
            { from, to: 'fx', money: received },
            { from: 'fx', to, money: credited },
          ],
    );
  Object.assign(receive, { state: 'COMPLETED', credited });
  model.tell(request.account, 'receive-request.receive-completed', request, undefined, receive);
  touched(model, request);
};

export const requireOpen = (
  model: Model,
  { standing, end }: NonNullable<ReceiveRequest['bolt11']>,
): void => {
  if (standing === 'paid') throw refused('LN_INVOICE_PROCESSED');
  if (standing === 'running') throw refused('PROCESSING_PAYMENT');
  if (model.now >= end) throw refused('INVALID_STATE_FOR_INVOICE_EXPIRED');
};

/** Somebody outside pays a request; returns its receive. */
export const payRequest = (
  model: Model,
  request: ReceiveRequest | undefined,
  rail: 'bolt11' | 'onchain',
  {
    hold,
    fails,
    amount,
  }: { readonly hold: number | undefined; readonly fails: boolean; readonly amount: Sum },
): Receive => {
  const at = request?.[rail];
  if (!request || !at) throw unknown();
  if (rail === 'bolt11') requireOpen(model, request.bolt11!);
  const received = rail === 'bolt11' ? (at.sats ?? amount) : amount;
  const after = hold ?? (rail === 'bolt11' ? 0 : 600_000);
  if (rail === 'bolt11') request.bolt11!.standing = 'running';
  const receive = beginReceive(
    model,
    request,
    { type: rail === 'bolt11' ? 'LIGHTNING' : 'ONCHAIN', received, payer: undefined },
    rail === 'onchain' || after > 0,
  );
  const act = (): void => {
    if (receive.state === 'PENDING' && fails) dropReceive(model, receive);
    else if (receive.state === 'PENDING') endReceive(model, receive);
    if (rail === 'bolt11')
      request.bolt11!.standing = receive.state === 'COMPLETED' ? 'paid' : 'open';
  };
  if (after <= 0) act();
  else model.later(after, act);
  return receive;
};
