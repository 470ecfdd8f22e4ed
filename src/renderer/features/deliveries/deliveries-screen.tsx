/** The home screen: the list, and beside it (under it, where the window is narrow) the delivery that is looked at. */
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { useApp } from '../../state/use-app.ts'
import { useNarrow } from '../../ui/use-narrow.ts'
import { CaptureBanners } from './banners.tsx'
import { Detail } from './detail/detail.tsx'
import { ListArea } from './list-area.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'

const withDetail = ['list', 'detail']
const listAlone = ['list']

export function DeliveriesScreen() {
  const mode = useApp((state) => state.detailMode)
  const stacked = useNarrow()
  const orientation = stacked ? 'vertical' : 'horizontal'
  const layout = useDefaultLayout({
    id: `deliveries-${orientation}`,
    panelIds: mode === 'pane' ? withDetail : listAlone,
    storage: localStorage,
  })
  return (
    <div className="relative h-full min-w-0">
      <div className="h-full" inert={mode === 'full'}>
        <Group
          orientation={orientation}
          className="h-full"
          defaultLayout={layout.defaultLayout}
          onLayoutChanged={layout.onLayoutChanged}
        >
          <Panel id="list" minSize={stacked ? '25%' : '34%'}>
            <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list">
              <Toolbar />
              <CaptureBanners />
              <ListArea />
              <SelectionBar />
            </section>
          </Panel>
          {mode === 'pane' && (
            <>
              <Separator
                aria-label="Resize the detail"
                className={`relative shrink-0 bg-line transition-colors hover:bg-accent ${stacked ? 'h-px' : 'w-px'}`}
              />
              <Panel id="detail" minSize={stacked ? '30%' : '34%'} defaultSize="50%">
                <Detail />
              </Panel>
            </>
          )}
        </Group>
      </div>
      {mode === 'full' && (
        <div className="absolute inset-0 z-20 bg-surface">
          <Detail />
        </div>
      )}
    </div>
  )
}
