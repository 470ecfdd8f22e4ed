/** What the shell may use of the sandbox. */
export { sandboxKeys, sandboxPalette } from './commands.ts'
export { OBJECT_FILTER_ID } from './objects-view.tsx'
export { SandboxScreen } from './sandbox-screen.tsx'
