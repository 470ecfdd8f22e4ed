/** What the shell may use of the sandbox. */
export { sandboxPalette } from './commands.ts'
export { sandboxKeys } from './key-actions.ts'
export { OBJECT_FILTER_ID } from './objects-view.tsx'
export { SandboxScreen } from './sandbox-screen.tsx'
