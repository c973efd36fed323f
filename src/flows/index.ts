export { type Checkout, checkout } from './checkout.ts';
export type { CheckoutOptions } from './checkout-options.ts';
export type { CheckoutPhase, CheckoutView } from './checkout-view.ts';
export type { QuoteProblem, CheckoutQuote } from './quote.ts';
export { countdown } from './countdown.ts';
export type { PaymentOptions, PayResult, PayStep, Run } from './pay/model.ts';
export { pay, resume } from './pay/pay.ts';
export type { PayGuard, PayProof, Percentage } from './pay/row.ts';
export { applyPlan } from './plan/apply-plan.ts';
export { formatReport } from './plan/format-report.ts';
export type {
  Plan,
  PlanApplication,
  PlannedBalance,
  PlannedLimit,
  PlannedRow,
  PlannedTerms,
  PlanOptions,
  PlanProblem,
  PlanReport,
  PlanReportRow,
  PlanRow,
  PlanStep,
  PlanSum,
} from './plan/model.ts';
export { parseRows, type ParseRowsOptions } from './plan/parse-rows.ts';
export { plan } from './plan/plan.ts';
