// The parts of the peers that the benchmark uses. Their own declarations are there only when they are installed.

declare module 'axios' {
  const axios: {
    create(options: object): { get(url: string): Promise<{ readonly data: unknown }> };
  };
  export default axios;
}

declare module 'big.js' {
  export default class Big {
    static readonly roundHalfEven: number;
    constructor(amount: string);
    plus(other: string): Big;
    times(other: string): Big;
    toFixed(digits: number, rounding?: number): string;
  }
}

declare module 'bolt11' {
  const bolt11: { decode(text: string): object };
  export default bolt11;
}

declare module 'decimal.js-light' {
  export default class Decimal {
    static readonly ROUND_HALF_EVEN: number;
    static config(options: object): void;
    constructor(amount: string);
    plus(other: string): Decimal;
    times(other: string): Decimal;
    toFixed(digits: number, rounding?: number): string;
  }
}

declare module 'ky' {
  const ky: {
    create(options: object): {
      get(url: string): { json(): Promise<unknown> };
      post(url: string, options: object): { json(): Promise<unknown> };
    };
  };
  export default ky;
}

declare module 'light-bolt11-decoder' {
  export function decode(text: string): object;
}

declare module 'openai' {
  export default class OpenAI {
    constructor(options: object);
    readonly models: { retrieve(id: string): Promise<unknown> };
    post(path: string, options: object): Promise<unknown>;
  }
}

declare module 'stripe' {
  export default class Stripe {
    static createFetchHttpClient(fetch: unknown): unknown;
    constructor(key: string, options: object);
    readonly paymentIntents: {
      retrieve(id: string): Promise<unknown>;
      create(draft: object): Promise<unknown>;
    };
  }
}
