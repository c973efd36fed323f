export {
  anyOf,
  between,
  type Condition,
  createdIn,
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
export {
  checkReadable,
  countOf,
  inOrder,
  type Page,
  type Rows,
  type UnreadableRow,
  withUnreadable,
} from './pages.ts';
