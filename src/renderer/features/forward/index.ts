/** What other features, and the shell, may use of forwarding. */
export { ForwardDialogs } from './remove-target-dialog.tsx'
export { ForwardScreen, HooksOrForward } from './forward-screen.tsx'
export { HeldBanner } from './held-banner.tsx'
