export { PinMark } from './column-cells.tsx'
export {
  byIdCommands,
  focusFilter,
  leaveDeliveries,
  listCommands,
  listKeys,
  ofHookCommands,
  viewPalette,
} from './commands.ts'
export { LIST_ID } from './delivery-list.tsx'
export { DeliveryListPane } from './delivery-list-pane.tsx'
export { MarksDialogs } from './marks.tsx'
export { ViewDialogs } from './view-dialogs.tsx'
