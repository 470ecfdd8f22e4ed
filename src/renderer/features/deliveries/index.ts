/** What other features, and the shell, may use of the deliveries. */
export { DeliveriesScreen } from './deliveries-screen.tsx'
export { LIST_ID } from './delivery-list.tsx'
export { layOutJson } from './body/json-rows.ts'
export { FILTER_ID } from './filter.tsx'
export { ViewDialogs } from './saved-views-dialog.tsx'
export { tabs } from './detail-slice.ts'
export { Fact, Facts } from './detail/facts.tsx'
export { eventWord, Verdict } from './verdict.tsx'
