/** Forward sits with Hooks: which of the two the screen shows. */
import { useAppParts } from '../../state/use-app.ts'
import { Segments } from '../../ui/segments.tsx'

const parts = [
  { value: 'hooks', label: 'Hooks' },
  { value: 'forward', label: 'Forward' },
] as const

export function HooksOrForward() {
  const { shown, show } = useAppParts((state) => ({ shown: state.forward.shown, show: state.forward.show }))
  return (
    <Segments
      label="Hooks or forwarding"
      options={parts}
      value={shown ? 'forward' : 'hooks'}
      onChange={(part) => {
        show(part === 'forward')
      }}
    />
  )
}
