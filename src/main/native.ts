/** What only a desktop can do, of the contract's table of native commands. */
import type { Shell } from 'electron'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { AppError } from '../shared/contract/errors.ts'

export interface Places {
  readonly dataFolder: string
  /** The certificate of the local authority; read when asked, since it is made on the first start. */
  readonly caFile: () => Promise<string>
}

/** The handlers of the native commands. The page names what to show, never a path. */
export function createNativeHandlers(shell: Pick<Shell, 'openPath' | 'showItemInFolder'>, places: Places): NativeHandlers {
  return {
    async 'native.showInFolder'({ what }) {
      if (what === 'ca') {
        shell.showItemInFolder(await places.caFile())
        return {}
      }
      const problem = await shell.openPath(places.dataFolder)
      if (problem !== '')
        throw new AppError('UNSUPPORTED', `Couldn't open ${places.dataFolder}: ${problem}. Open it in your file manager.`)
      return {}
    },
  }
}
