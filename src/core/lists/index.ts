export {
  anyOf,
  between,
  type Condition,
  createdWhere,
  equals,
  instant,
  type OrderedTimeField,
  PAGE,
  type TextField,
  textField,
  type TimeField,
  timeField,
} from './filters.ts';
export {
  type List,
  LIST_QUERY,
  listBySkip,
  listOf,
  type ListOptions,
  type ListQuery,
  SKIP_QUERY,
  type SkipQuery,
} from './list.ts';
export { countOf, type Page } from './pages.ts';
