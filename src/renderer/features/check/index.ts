export { CheckScreen } from './check-screen.tsx'
