/** The public parts of the sandbox feature. */
import type { Screens } from '../../state/commands.ts'
import { sandboxPalette } from './commands.ts'
import { OBJECT_FILTER_ID } from './objects-view.tsx'
import { SandboxScreen } from './sandbox-screen.tsx'

export { sandboxKeys } from './commands.ts'

export const ownScreens: Screens<'sandbox'> = {
  sandbox: {
    Screen: SandboxScreen,
    scopes: () => ['sandbox'],
    commands: sandboxPalette,
    searchId: ({ sandbox }) => (sandbox.view === 'objects' ? OBJECT_FILTER_ID : null),
  },
}
