/** What other features, and the shell, may use of forwarding. */
export { ForwardDialogs } from './forward-dialogs.tsx'
export { ForwardScreen } from './forward-screen.tsx'
export { HeldBanner } from './held-banner.tsx'
export { HooksOrForward } from './hooks-or-forward.tsx'
