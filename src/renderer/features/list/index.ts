/** What other features, and the shell, may use of the list of deliveries. */
export { DeliveryListPane } from './delivery-list-pane.tsx'
export { LIST_ID } from './delivery-list.tsx'
export { byIdCommands, listCommands, ofHookCommands, viewPalette } from './commands.ts'
export { focusFilter, leaveDeliveries, listKeys } from './key-actions.ts'
export { MarksBar, MarksDialogs, PinAndColour } from './marks.tsx'
export { ViewDialogs } from './saved-views.tsx'
