/** The window: rail, screen, status bar, and overlays. */
import { Tooltip } from '@base-ui/react/tooltip'
import { Unplug } from 'lucide-react'
import { useEffect, useLayoutEffect } from 'react'
import { VerifyRequestDialog } from '../features/detail/index.ts'
import { ExportDialog, ImportDialog, ShareDialog } from '../features/import-export/index.ts'
import { Tour } from '../features/tour/index.ts'
import { ForwardDialogs, HandlerDialog } from '../features/handlers/index.ts'
import { HookDialogs } from '../features/hooks/index.ts'
import { MarksDialogs, ViewDialogs } from '../features/list/index.ts'
import { ConsentDialog } from './consent-dialog.tsx'
import { ReplayDialogs } from '../features/replay/index.ts'
import {
  EnvironmentDialog,
  RemoveEnvironmentDialog,
  ShortcutTable,
  UpdateDialog,
} from '../features/settings/index.ts'
import { screens } from '../screens.ts'
import { useApp } from '../ui-state/use-app.ts'
import { Banner } from '../ui/message.tsx'
import { DeliveryMenu } from '../connected/delivery-menu.tsx'
import { OverlayDialog } from '../connected/overlay-dialog.tsx'
import { CommandPalette } from './command-palette.tsx'
import { screenParts } from './commands.ts'
import { Rail } from './rail.tsx'
import { useKeyboard } from './use-keyboard.ts'
import { StartScreen, FailedStartScreen, SessionOver } from './start-screens.tsx'
import { WindowDrop } from './window-drop.tsx'
import { StatusBar } from './status-bar.tsx'
import { DamageBanner, LimitSuggestion } from './store-banners.tsx'
import { RecentFailures } from './recent-failures.tsx'

/** Applies the chosen theme to the document; `system` follows the operating system. */
function useTheme(): void {
  const theme = useApp((state) => state.preferences.theme)
  useLayoutEffect(() => {
    const light = matchMedia('(prefers-color-scheme: light)')
    const apply = () => {
      document.documentElement.dataset['theme'] =
        theme === 'system' ? (light.matches ? 'light' : 'dark') : theme
    }
    apply()
    light.addEventListener('change', apply)
    return () => light.removeEventListener('change', apply)
  }, [theme])
}

function ShortcutsSheet() {
  return (
    <OverlayDialog overlay="shortcuts" title="Keyboard shortcuts" wide>
      {() => (
        // Focusable, so that arrow keys scroll a sheet taller than the window.
        <div tabIndex={0} role="region" aria-label="All shortcuts">
          <ShortcutTable />
        </div>
      )}
    </OverlayDialog>
  )
}

export function App() {
  const connection = useApp((state) => state.core.connection)
  const screen = useApp((state) => state.navigation.screen)
  const { Screen } = screenParts[screen]
  useKeyboard()
  useTheme()
  useEffect(() => {
    document.title = `${screens[screen].title} · Countersign`
  }, [screen])
  if (connection.phase === 'over') return <SessionOver />
  if (connection.phase === 'starting') return <StartScreen />
  if (connection.phase === 'failed') return <FailedStartScreen />
  return (
    <Tooltip.Provider delay={500} closeDelay={0}>
      <div className="flex h-full flex-col">
        {connection.phase === 'lost' && (
          <Banner tone="warn" icon={Unplug} title="Connection lost. Reconnecting…">
            The data shown may be out of date.
          </Banner>
        )}
        <DamageBanner />
        <LimitSuggestion />
        <div className="min-h-0 flex-1">
          <WindowDrop>
            <div className="flex h-full min-h-0">
              <Rail />
              <main className="min-w-0 flex-1">
                <Screen />
              </main>
            </div>
          </WindowDrop>
        </div>
        <Tour />
        <StatusBar />
      </div>
      <HookDialogs />
      <HandlerDialog />
      <ForwardDialogs />
      <ViewDialogs />
      <MarksDialogs />
      <DeliveryMenu />
      <ReplayDialogs />
      <ExportDialog />
      <ShareDialog />
      <ImportDialog />
      <VerifyRequestDialog />
      <EnvironmentDialog />
      <RemoveEnvironmentDialog />
      <UpdateDialog />
      <ConsentDialog />
      <CommandPalette />
      <ShortcutsSheet />
      <RecentFailures />
    </Tooltip.Provider>
  )
}
