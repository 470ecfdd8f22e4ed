/** The home screen: the list, and beside it (under it, where the window is narrow) the delivery that is looked at. */
import { useApp } from '../../state/use-app.ts'
import { FileDrop } from '../../ui/file-drop.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { CaptureBanners } from './banners.tsx'
import { Detail } from './detail/detail.tsx'
import { ListArea } from './list-area.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'

export function DeliveriesScreen() {
  const mode = useApp((state) => state.detailMode)
  const startImport = useApp((state) => state.startImport)
  const list = (
    <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list">
      <Toolbar />
      <CaptureBanners />
      <ListArea />
      <SelectionBar />
    </section>
  )
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
          first={{ id: 'list', content: list }}
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
