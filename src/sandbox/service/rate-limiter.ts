import type { Bucket, RateLimits } from '../../core/http/index.ts';
import { assumptionOf } from '../provenance/alternatives.ts';
import type { World } from '../world/world.ts';

/** Counts requests by address and group in a log that slides. */
export interface Limiter {
  /** Notes a request. Milliseconds of a block that refuses it; 0 where it may pass. */
  admit(address: string, bucket: Bucket): number;
  /** The last request of an address was refused, and perhaps does not count. */
  noteRefusal(address: string, bucket: Bucket): void;
  /** How many blocks have begun. */
  readonly blocks: number;
}

interface Meter {
  sent: number[];
  start: number;
  blockedUntil: number;
}

/** The request over the limit starts the block. */
export function createLimiter(world: World, limits: RateLimits): Limiter {
  const { clock } = world;
  const meters = new Map<string, Meter>();
  let blocks = 0;

  function meterOf(address: string, group: Bucket): Meter {
    const key = `${group} ${address}`;
    const meter = meters.get(key) ?? { sent: [], start: 0, blockedUntil: -Infinity };
    meters.set(key, meter);
    return meter;
  }

  return {
    get blocks() {
      return blocks;
    },
    admit(address, group) {
      const { limit, window, block } = limits[group];
      const now = clock.monotonic();
      const meter = meterOf(address, group);
      if (now < meter.blockedUntil) {
        if (assumptionOf(world, 'limits.fixed') === 'extended') meter.blockedUntil = now + block;
        return meter.blockedUntil - now;
      }
      forget(meter, now - window);
      if (meter.sent.length - meter.start >= limit) {
        blocks++;
        meter.blockedUntil = now + block;
        return block;
      }
      meter.sent.push(now);
      return 0;
    },
    noteRefusal(address, group) {
      if (assumptionOf(world, 'limits.refused') === 'free') meterOf(address, group).sent.pop();
    },
  };
}

/** Drops what has left the window; the list is cut when half of it is stale. */
function forget(meter: Meter, before: number): void {
  while (meter.start < meter.sent.length && meter.sent[meter.start]! <= before) meter.start++;
  if (meter.start * 2 <= meter.sent.length) return;
  meter.sent = meter.sent.slice(meter.start);
  meter.start = 0;
}
