/** Beside the search bar: the saved views to choose from, and what can be done with the present search. */
import { Menu } from '@base-ui/react/menu'
import { Bookmark } from 'lucide-react'
import { useApp, useParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const itemLook =
  'flex min-h-7 items-center gap-4 rounded-small px-2 outline-none data-highlighted:bg-control data-disabled:opacity-60'

export function SavedViewsMenu() {
  const views = useApp((state) => state.views.all)
  const { applied: filter, setDraft, apply: applyDraft } = useParts('filter', 'applied', 'setDraft', 'apply')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <Menu.Root>
      <Menu.Trigger render={<IconButton label="Saved views" icon={<Bookmark size={15} aria-hidden />} />} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-30 outline-none">
          <Menu.Popup className="max-h-[min(480px,var(--available-height))] max-w-[min(520px,var(--available-width))] min-w-60 overflow-y-auto rounded-control border border-line bg-raised p-1 text-base text-text shadow-overlay outline-none">
            {views.map((view) => (
              <Menu.Item
                key={view.id}
                className={itemLook}
                onClick={() => {
                  setDraft(view.query)
                  applyDraft()
                }}
              >
                <span className="shrink-0">{visibleText(view.name)}</span>
                <span className="data min-w-0 flex-1 truncate text-right text-subtle">{visibleText(view.query)}</span>
              </Menu.Item>
            ))}
            {views.length === 0 && (
              <p className="max-w-72 px-2 py-1 text-small text-subtle">A search that you need again can be kept under a name.</p>
            )}
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item
              className={itemLook}
              disabled={filter === ''}
              onClick={() => {
                openOverlay('save-view')
              }}
            >
              Save this search…
            </Menu.Item>
            <Menu.Item
              className={itemLook}
              disabled={views.length === 0}
              onClick={() => {
                openOverlay('saved-views')
              }}
            >
              Edit the views…
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
