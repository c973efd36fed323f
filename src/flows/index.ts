export { type Checkout, checkout, countdown } from './checkout/checkout.ts';
export { cancelInvoice, type CancelResult } from './cancel-invoice.ts';
export type { CheckoutOptions, CheckoutPhase, CheckoutView } from './checkout/view.ts';
export type { QuoteProblem, CheckoutQuote } from './checkout/quote.ts';
export { deposit } from './pay/rails/deposit.ts';
export { exchange, type ExchangeOptions } from './pay/rails/exchange.ts';
export { adoptJournal } from './pay/account.ts';
export type { PaymentOptions, PaymentWithAmount, PaymentWithoutAmount } from './pay/intent.ts';
export type {
  AmountDrift,
  DepositMovement,
  DepositResult,
  DepositStep,
  ExchangeMovement,
  ExchangeResult,
  ExchangeStep,
  MoneyResult,
  MoneyStep,
  Movement,
  MoveResult,
  MoveStep,
  PayOutResult,
  PayoutMovement,
  PayOutStep,
  PayResult,
  PayStep,
  UnmovedResult,
} from './pay/result.ts';
export type { DepositFlowOptions } from './pay/rails/payout.ts';
export { payOut, type PayOutOptions } from './pay/rails/payout.ts';
export { createGuards, type Guards, type GuardsOptions } from './pay/limits.ts';
export { pay } from './pay/rails/payment.ts';
export { refund, type RefundOptions } from './pay/rails/refund.ts';
export { resume, type ResumeOptions } from './pay/resume.ts';
export type { PayGuard, PayProof, Percentage } from './pay/order.ts';
export type { Run } from './pay/runs.ts';
export { applyPlan } from './plan/apply-plan.ts';
export {
  formatReport,
  type PlanApplication,
  type PlanReport,
  type PlanReportRow,
  type PlanStep,
  type PlanSum,
} from './plan/report.ts';
export type {
  Plan,
  PlannedBalance,
  PlannedLimit,
  PlannedRow,
  PlannedTerms,
  PlanOptions,
  PlanProblem,
  PlanRow,
} from './plan/planned.ts';
export { parseRows, type ParseRowsOptions } from './plan/parse-rows.ts';
export { plan } from './plan/plan.ts';
