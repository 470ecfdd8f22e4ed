import { hasAddressChanged } from '../../ui-state/navigation-slice.ts'
import type { FlowFileLoader } from './flow-file-loader.ts'
import type { FlowsTools } from './flows-state.ts'

/** Closes the file once the address leaves it. An address of a file that isn't open is refused. */
export function followFlowAddress(
  { subscribe, get, set, notify }: FlowsTools,
  fileLoader: FlowFileLoader,
): void {
  subscribe((now, before) => {
    const { navigation } = now
    const { flow, file } = navigation.at.flows
    const previous = before.navigation.at.flows
    if (flow !== previous.flow || file !== previous.file) {
      if (flow !== get().flowToRun) set({ flowToRun: null })
      if (file === undefined || file !== get().file?.name) fileLoader.close()
    }
    if (!hasAddressChanged('flows', now, before) || file === undefined || file === get().file?.name)
      return
    notify({
      tone: 'warn',
      title: `Open ${file} again`,
      message: "Countersign can't reopen a file by itself.",
    })
    navigation.select('flows', {})
  })
}
