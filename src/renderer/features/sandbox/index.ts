/** The public parts of the sandbox feature. */
export { sandboxKeys, sandboxPalette } from './commands.ts'
export { OBJECT_FILTER_ID } from './objects-view.tsx'
export { SandboxScreen } from './sandbox-screen.tsx'
