/** The delivery list's exports for other features and the shell. */
export { DeliveryListPane } from './delivery-list-pane.tsx'
export { LIST_ID } from './delivery-list.tsx'
export { byIdCommands, listCommands, ofHookCommands, viewPalette } from './commands.ts'
export { focusFilter, leaveDeliveries, listKeys } from './key-actions.ts'
export { MarksDialogs, PinMark } from './marks.tsx'
export { ViewDialogs } from './saved-views.tsx'
