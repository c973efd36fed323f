export { defineDevtools } from './devtools-panel.ts';
export type { DevtoolsElement, DevtoolsProperties } from '../elements/devtools-tag.ts';
export {
  inspectClient,
  type ClientInspection,
  type InspectedRequest,
  type TimelineEntry,
  type InspectedWatch,
} from './inspect-client.ts';
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
