export { DamageBanner, RepairScreen, useRepairShown } from './repair-screen.tsx'
