/** The menu of the Sandbox screen: the clock's speed and time, and the reset. */
import { Ellipsis } from 'lucide-react'
import { useApp } from '../../ui-state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { ButtonMenu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { useClockReading } from './use-sandbox.ts'

/** Offered speeds. The command line accepts any other. */
const speeds = [1, 10, 60, 600, 3_600] as const

export function SandboxMenu() {
  const moveClock = useApp((state) => state.sandbox.moveClock)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const speed = useClockReading()?.state.speed ?? 1
  return (
    <ButtonMenu trigger={<IconButton label="More" icon={Ellipsis} />}>
      {[...new Set([...speeds, speed])]
        .toSorted((left, right) => left - right)
        .map((one) => (
          <MenuChoice
            key={one}
            isChosen={one === speed}
            onChoose={() => void moveClock({ action: 'speed', speed: one })}
          >
            {one === 1 ? 'Real speed' : `${one.toLocaleString('en')}× speed`}
          </MenuChoice>
        ))}
      <MenuItem className="pl-8" onClick={() => openOverlay('set-clock')}>
        Set time…
      </MenuItem>
      <MenuLine />
      <MenuItem kind="danger" className="pl-8" onClick={() => openOverlay('reset-sandbox')}>
        Reset sandbox…
      </MenuItem>
    </ButtonMenu>
  )
}
