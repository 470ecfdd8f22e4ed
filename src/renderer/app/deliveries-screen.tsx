/** The home screen: the list, and beside it (under it, where the window is narrow) the delivery that is looked at. */
import { Detail } from '../features/detail/index.ts'
import { DeliveryListPane } from '../features/list/index.ts'
import { useApp } from '../state/use-app.ts'
import { FileDrop } from '../ui/file-drop.tsx'
import { SplitPanes } from '../ui/split-panes.tsx'

export function DeliveriesScreen() {
  const mode = useApp((state) => state.detail.mode)
  const startImport = useApp((state) => state.importing.start)
  return (
    <FileDrop
      words="Drop an export to import its deliveries"
      onDrop={({ files: [file] }) => {
        if (file !== undefined) void startImport(file)
      }}
    >
      <div className="h-full" inert={mode === 'full'}>
        <SplitPanes
          name="deliveries"
          first={{ id: 'list', content: <DeliveryListPane /> }}
          second={mode === 'pane' ? { id: 'detail', defaultSize: '50%', content: <Detail /> } : null}
          resize="Resize the detail"
        />
      </div>
      {mode === 'full' && (
        <div className="absolute inset-0 z-20 bg-surface">
          <Detail />
        </div>
      )}
    </FileDrop>
  )
}
