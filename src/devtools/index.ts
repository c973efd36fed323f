export { defineDevtools } from './devtools-element.ts';
export type { DevtoolsElement, DevtoolsProperties } from '../elements/devtools-tag.ts';
export { inspectClient, type ClientInspection } from './inspect-client.ts';
export type { InspectedRequest } from './request-log.ts';
export type { TimelineEntry } from './timeline.ts';
export type { InspectedWatch } from './watch-rows.ts';
export type {
  RecordedClockReading,
  RecordedDecision,
  RecordedDelivery,
  RecordedExchange,
  RecordedFailure,
  RecordedResponse,
  RecordedState,
  Recording,
} from '../testing/recording.ts';
export type { CallDecision } from '../core/http/index.ts';
