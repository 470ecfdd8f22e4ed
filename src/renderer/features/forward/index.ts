/** The public parts of the forwarding feature. */
export { ForwardDialogs } from './target-dialog.tsx'
export { ForwardScreen } from './forward-screen.tsx'
