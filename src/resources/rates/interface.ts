// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { QuotedRate } from '../amounts/model.ts';

/** The exchange rates of this moment. */
export interface Rates {
  /**
   * Reads the exchange rates of this moment: for showing, since only a quote holds a rate.
   * `GET /v1/rates/ticker` (documented).
   *
   * @throws RefusedError `FORBIDDEN` without the ticker scope
   * @example
   * const rates = await client.rates.list();
   */
  list(options?: CallOptions): Call<readonly QuotedRate[]>;
}
