/** The pane of the list: the toolbar, what is to be said of the capture, the rows, and what can be done with those selected. */
import { tourPlace } from '../../ui/tour-place.ts'
import { CaptureBanners } from './banners.tsx'
import { ListArea } from './list-area.tsx'
import { SelectionBar } from './selection-bar.tsx'
import { Toolbar } from './toolbar.tsx'

export function DeliveryListPane() {
  return (
    <section aria-label="List" className="flex h-full min-w-0 flex-col bg-ground" data-pane="list" {...tourPlace('list')}>
      <Toolbar />
      <CaptureBanners />
      <ListArea />
      <SelectionBar />
    </section>
  )
}
