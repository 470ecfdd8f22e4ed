/** The public parts of the handlers feature. */
export { HandlerDialog } from './handler-dialog.tsx'
export { HandlersScreen } from './handlers-screen.tsx'
