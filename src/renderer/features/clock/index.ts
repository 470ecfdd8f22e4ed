/** The clock: the times of this computer and of the sandbox. */
import type { Screens } from '../../state/commands.ts'
import { ClockScreen } from './clock-screen.tsx'

export const ownScreens: Screens<'clock'> = { clock: { Screen: ClockScreen } }
