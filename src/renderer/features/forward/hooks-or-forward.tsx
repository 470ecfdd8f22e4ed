/** Forward sits with Hooks: which of the two the screen shows. */
import { useParts } from '../../state/use-app.ts'
import { Segments } from '../../ui/segments.tsx'

const parts = [
  { value: 'hooks', label: 'Hooks' },
  { value: 'forward', label: 'Forward' },
] as const

export function HooksOrForward() {
  const { shown, show } = useParts('forward', 'shown', 'show')
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
