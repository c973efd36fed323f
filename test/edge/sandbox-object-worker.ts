// The sandbox as a Worker: one object, and the door to it.
import { SandboxObject } from 'paystate/sandbox';

type State = ConstructorParameters<typeof SandboxObject>[0];

export class Box extends SandboxObject {
  constructor(state: State) {
    super(state, { seed: 'worker' });
  }
}

interface Env {
  readonly BOX: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  fetch: (request: Request, { BOX }: Env): Promise<Response> =>
    BOX.get(BOX.idFromName('main')).fetch(request),
};
