export {
  type OrderedTimeField,
  type Condition,
  type TextField,
  textField,
  type TimeField,
  timeField,
} from './conditions.ts';
export {
  countOf,
  type List,
  LIST_QUERY,
  listBySkip,
  listOf,
  type ListOptions,
  type ListQuery,
  type Page,
  SKIP_QUERY,
  type SkipQuery,
} from './list.ts';
export { anyOf, between, createdWhere, equals, instant, PAGE } from './odata.ts';
