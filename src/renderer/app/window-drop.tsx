import type { ReactNode } from 'react'
import { fileKindOf } from '../../shared/model/file-kind.ts'
import { droppedFile } from '../features/flows/index.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { browserFile } from '../ui-state/user-file.ts'
import { FileDrop } from '../connected/file-input.tsx'

/** Whether a JSON file holds requests of another tool rather than a flow's steps. */
async function hasRequests(file: File): Promise<boolean> {
  const start = await file.slice(0, 65_536).text()
  return /headers?"\s*:/i.test(start) && !/"steps"\s*:/.test(start)
}

/** Opens dropped flows and imports dropped exports; the screen decides about other files. */
export function WindowDrop({ children }: { readonly children: ReactNode }) {
  const { onFlows, startImport, openFlow, go } = useAppParts((state) => ({
    onFlows: state.navigation.screen === 'flows',
    startImport: state.importing.start,
    openFlow: state.flows.openFile,
    go: state.navigation.go,
  }))
  return (
    <FileDrop
      words="Drop an export (.jsonl) to import it, or a flow (.json) to open it"
      onDrop={(data) => {
        const [file] = data.files
        if (file === undefined) return
        const isFlow = (fileKindOf(file.name) ?? (onFlows ? 'flow' : 'capture')) === 'flow'
        if (!isFlow) void startImport(browserFile(file))
        else {
          // A dropped file can be taken only during its event.
          const dropped = droppedFile(data)
          void hasRequests(file).then((hasSome) => {
            if (hasSome) return startImport(browserFile(file))
            go('flows')
            return openFlow(dropped)
          })
        }
      }}
    >
      {children}
    </FileDrop>
  )
}
