/** Implements the contract's native commands, which only the desktop app has. */
import type { Shell } from 'electron'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { AppError } from '../shared/contract/errors.ts'

export interface Places {
  readonly dataFolder: string
  /** The CA certificate; read on demand, because it is created on the first start. */
  readonly caFile: () => Promise<string>
  readonly quit: () => void
}

/** The page names an item to show, never a path. */
export function createNativeHandlers(
  shell: Pick<Shell, 'openPath' | 'showItemInFolder'>,
  places: Places,
): Pick<NativeHandlers, 'native.showInFolder' | 'native.quit'> {
  return {
    async 'native.showInFolder'({ what }) {
      if (what === 'ca') {
        shell.showItemInFolder(await places.caFile())
        return {}
      }
      const problem = await shell.openPath(places.dataFolder)
      if (problem !== '')
        throw new AppError(
          'UNSUPPORTED',
          `Couldn't open ${places.dataFolder}: ${problem}. Open it in your file manager.`,
        )
      return {}
    },
    'native.quit'() {
      places.quit()
      return Promise.resolve({})
    },
  }
}
