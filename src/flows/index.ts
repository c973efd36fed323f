export { type Checkout, checkout } from './checkout.ts';
export { cancelInvoice, type CancelResult } from './cancel-invoice.ts';
export type { CheckoutOptions } from './checkout-options.ts';
export type { CheckoutPhase, CheckoutView } from './checkout-view.ts';
export type { QuoteProblem, CheckoutQuote } from './quote.ts';
export { countdown } from './countdown.ts';
export { deposit } from './pay/deposit.ts';
export { exchange } from './pay/exchange.ts';
export { adoptJournal } from './pay/journal-pin.ts';
export type {
  PaymentOptions,
  PaymentWithAmount,
  PaymentWithoutAmount,
  PayResult,
  PayStep,
  UnmovedResult,
} from './pay/model.ts';
export type {
  DepositFlowOptions,
  DepositResult,
  DepositStep,
  ExchangeOptions,
  ExchangeResult,
  ExchangeStep,
  MoneyResult,
  MoneyStep,
  MoveResult,
  MoveStep,
  PayOutOptions,
  PayOutResult,
  PayOutStep,
} from './pay/move-model.ts';
export { createGuards, type Guards, type GuardsOptions } from './pay/journal-limits.ts';
export { pay } from './pay/pay.ts';
export { payOut } from './pay/pay-out.ts';
export { refund, type RefundOptions } from './pay/refund.ts';
export { resume } from './pay/resume.ts';
export type { PayGuard, PayProof, Percentage } from './pay/row.ts';
export type { Run } from './pay/run-model.ts';
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
