/** Implements the contract's native commands, which only the desktop app has. */
import type { Shell } from 'electron'
import { caFileOf } from '../core/base/data-folder.ts'
import { AppError } from '../shared/contract/errors.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'

/** Creates the handlers, to which the page names an item, never a path. */
export function createNativeHandlers(
  shell: Pick<Shell, 'openPath' | 'showItemInFolder'>,
  dataFolder: string,
  quit: () => void,
): Pick<NativeHandlers, 'native.showInFolder' | 'native.quit'> {
  return {
    async 'native.showInFolder'({ what }) {
      if (what === 'ca') {
        shell.showItemInFolder(caFileOf(dataFolder))
        return {}
      }
      const problem = await shell.openPath(dataFolder)
      if (problem !== '')
        throw new AppError(
          'UNSUPPORTED',
          `Couldn't open ${dataFolder}: ${problem}. Open it in your file manager.`,
        )
      return {}
    },
    'native.quit'() {
      quit()
      return Promise.resolve({})
    },
  }
}
