/** The home screen: the list and the open delivery beside it, or below it in a narrow window. */
import { Detail } from '../features/detail/index.ts'
import { DeliveryListPane, leaveDeliveries, listCommands } from '../features/list/index.ts'
import { replayPalette } from '../features/replay/index.ts'
import { transferPalette } from '../features/import-export/index.ts'
import type { Screens } from '../ui-state/commands.ts'
import { useAppParts } from '../ui-state/use-app.ts'
import { SplitPanes } from '../ui/split-panes.tsx'

export const ownScreens: Screens<'deliveries'> = {
  deliveries: {
    Screen: DeliveriesScreen,
    scopes: ({ navigation }) =>
      navigation.at.deliveries.id === undefined ? ['list'] : ['list', 'detail'],
    commands: (state) => [
      ...replayPalette(state),
      ...listCommands(state),
      ...transferPalette(state),
    ],
    leave: leaveDeliveries,
  },
}

function DeliveriesScreen() {
  const { isOpen, full } = useAppParts((state) => ({
    isOpen: state.navigation.at.deliveries.id !== undefined,
    full: state.detail.full,
  }))
  return (
    <div className="relative h-full min-h-0 min-w-0">
      <div className="h-full" inert={full}>
        <SplitPanes
          name="deliveries"
          first={{ id: 'list', content: <DeliveryListPane /> }}
          second={
            isOpen && !full ? { id: 'detail', defaultSize: '48%', content: <Detail /> } : null
          }
          resize="Resize the detail pane"
        />
      </div>
      {full && (
        <div className="absolute inset-0 z-20 bg-surface">
          <Detail />
        </div>
      )}
    </div>
  )
}
