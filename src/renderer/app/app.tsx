/** The window: the rail, the screen, the foot, and what lies over them. */
import { Tooltip } from '@base-ui/react/tooltip'
import { Unplug } from 'lucide-react'
import { useEffect } from 'react'
import { CheckScreen } from '../features/check/index.ts'
import { CompareScreen } from '../features/compare/index.ts'
import { ExportDialog, ImportDialog } from '../features/exchange/index.ts'
import { FirstWalk } from '../features/first-walk/index.ts'
import { FlowsScreen } from '../features/flows/index.ts'
import { ForwardDialogs, HeldBanner } from '../features/forward/index.ts'
import { HookDialogs, HooksScreen } from '../features/hooks/index.ts'
import { MarksDialogs, ViewDialogs } from '../features/list/index.ts'
import { DamageBanner, RepairScreen, useRepairShown } from '../features/repair/index.ts'
import { ReplayDialogs } from '../features/replay/index.ts'
import { SandboxScreen } from '../features/sandbox/index.ts'
import { EnvironmentDialog, RemoveEnvironmentDialog, SettingsScreen } from '../features/settings/index.ts'
import { ShrinkDialog } from '../features/shrink/index.ts'
import { useApp } from '../state/use-app.ts'
import { Banner } from '../ui/banner.tsx'
import { CommandPalette } from './command-palette.tsx'
import { DeliveriesScreen } from './deliveries-screen.tsx'
import { Rail } from './rail.tsx'
import { SessionOver } from './session-over.tsx'
import { ShortcutsSheet } from './shortcuts-sheet.tsx'
import { StatusBar } from './status-bar.tsx'
import { useKeyboard } from './use-keyboard.ts'
import { useTheme } from './use-theme.ts'

const titles = {
  deliveries: 'Deliveries',
  compare: 'Compare',
  hooks: 'Hooks',
  flows: 'Flows',
  check: 'Check',
  sandbox: 'Sandbox',
  settings: 'Settings',
} as const

export function App() {
  const connection = useApp((state) => state.core.connection)
  const screen = useApp((state) => state.navigation.screen)
  const repairing = useRepairShown()
  useKeyboard()
  useTheme()
  useEffect(() => {
    document.title = `${titles[screen]} · Countersign`
  }, [screen])
  if (connection.phase === 'over') return <SessionOver />
  if (repairing) return <RepairScreen />
  return (
    <Tooltip.Provider delay={500} closeDelay={0}>
      <div className="flex h-full flex-col">
        {connection.phase === 'lost' && (
          <Banner tone="warn" icon={<Unplug size={15} aria-hidden />} title="Connection lost – reconnecting.">
            What is shown stays as it was.
          </Banner>
        )}
        <DamageBanner />
        <HeldBanner />
        <div className="flex min-h-0 flex-1">
          <Rail />
          <main className="min-w-0 flex-1">
            {screen === 'deliveries' && <DeliveriesScreen />}
            {screen === 'compare' && <CompareScreen />}
            {screen === 'hooks' && <HooksScreen />}
            {screen === 'flows' && <FlowsScreen />}
            {screen === 'check' && <CheckScreen />}
            {screen === 'sandbox' && <SandboxScreen />}
            {screen === 'settings' && <SettingsScreen />}
          </main>
        </div>
        <FirstWalk />
        <StatusBar />
      </div>
      <HookDialogs />
      <ForwardDialogs />
      <ViewDialogs />
      <MarksDialogs />
      <ReplayDialogs />
      <ShrinkDialog />
      <ExportDialog />
      <ImportDialog />
      <EnvironmentDialog />
      <RemoveEnvironmentDialog />
      <CommandPalette />
      <ShortcutsSheet />
    </Tooltip.Provider>
  )
}
